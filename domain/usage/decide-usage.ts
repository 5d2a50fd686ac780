// Spec, Endpoints, "POST /api/v1/usage" and the profile read beside it: what a report comes to.

export const USAGE_KINDS = ['session', 'heartbeat', 'activity'] as const;
/** What a day of use may consist of: a profile read is no report. */
export const EVIDENCE_KINDS = [...USAGE_KINDS, 'profile_read'] as const;
export const NOT_COUNTED_REASONS = ['test_key', 'not_signed_in_or_entitled'] as const;

/** What a product may report. */
export type UsageKind = (typeof USAGE_KINDS)[number];
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];
export type UsageCredential = 'token' | 'live_key' | 'test_key';

type Facts = {
  kind: EvidenceKind;
  credential: UsageCredential;
  /** The person is a member of the product's own team, or its lone owner. */
  isOwnTeam: boolean;
  hasAccessOrSignedIn: boolean;
};

export type UsageDecision =
  | { counted: true; qualifying: boolean }
  | { counted: false; qualifying: false; reason: (typeof NOT_COUNTED_REASONS)[number] };

const ANALYTICS: UsageDecision = { counted: true, qualifying: false };
const QUALIFYING: UsageDecision = { counted: true, qualifying: true };
const notCounted = (reason: (typeof NOT_COUNTED_REASONS)[number]): UsageDecision => ({
  counted: false,
  qualifying: false,
  reason,
});

/** The first row that fits decides; what a row does not name is of no matter to it. */
const TABLE: readonly [when: Partial<Facts>, then: UsageDecision][] = [
  [{ credential: 'test_key' }, notCounted('test_key')],
  [{ credential: 'live_key', hasAccessOrSignedIn: true }, ANALYTICS],
  [{ credential: 'live_key' }, notCounted('not_signed_in_or_entitled')],
  [{ credential: 'token', isOwnTeam: true }, ANALYTICS],
  [{ credential: 'token', kind: 'session' }, ANALYTICS],
  [{ credential: 'token' }, QUALIFYING],
];

/** Each report is answered by its own kind and credential, whatever the day has seen before. */
export function decideUsage(facts: Facts): UsageDecision {
  const fits = ([when]: (typeof TABLE)[number]) =>
    Object.entries(when).every(([name, value]) => facts[name as keyof Facts] === value);
  return TABLE.find(fits)![1];
}

// Spec, Endpoints, "POST /api/v1/usage" and the profile read beside it: the decision about a
// report.

export const USAGE_KINDS = ['session', 'heartbeat', 'activity'] as const;
export const NOT_COUNTED_REASONS = ['test_key', 'not_signed_in_or_entitled'] as const;

/** The kinds that a product may report. */
export type UsageKind = (typeof USAGE_KINDS)[number];
/** The evidence of a day; a profile read is evidence, but no report. */
export type EvidenceKind = UsageKind | 'profile_read';
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

/**
 * A report is decided by its own kind and credential, whatever the day has seen before.
 * `record-evidence.query.ts` clears the mark of the own team's reports in its statement: both say
 * the same.
 */
export function decideUsage(facts: Facts): UsageDecision {
  switch (facts.credential) {
    case 'test_key':
      return notCounted('test_key');
    case 'live_key':
      return facts.hasAccessOrSignedIn ? ANALYTICS : notCounted('not_signed_in_or_entitled');
    case 'token':
      return facts.isOwnTeam || facts.kind === 'session' ? ANALYTICS : QUALIFYING;
  }
}

/** The decision about a report with a person's token, or a profile read. */
export function decideByToken(kind: EvidenceKind, isOwnTeam: boolean): UsageDecision {
  return decideUsage({ kind, isOwnTeam, credential: 'token', hasAccessOrSignedIn: true });
}

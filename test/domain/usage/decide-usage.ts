import test from 'ava';
import {
  decideUsage,
  type EvidenceKind,
  type UsageCredential,
  type UsageDecision,
} from '../../../domain/usage/decide-usage.ts';

const KINDS: EvidenceKind[] = ['session', 'heartbeat', 'activity', 'profile_read'];
const BOTH = [false, true];

const counted: UsageDecision = { counted: true, qualifying: false };
const qualifying: UsageDecision = { counted: true, qualifying: true };
const notCounted = (reason: 'test_key' | 'not_signed_in_or_entitled'): UsageDecision => ({
  counted: false,
  qualifying: false,
  reason,
});

type Row = [
  title: string,
  credential: UsageCredential,
  when: { kinds: EvidenceKind[]; ownTeam: boolean[]; access: boolean[] },
  expected: UsageDecision,
];

const rows: Row[] = [
  [
    'a test key writes no usage evidence, whoever is named',
    'test_key',
    { kinds: KINDS, ownTeam: BOTH, access: BOTH },
    notCounted('test_key'),
  ],
  [
    'with an API key usage is kept for analytics only, and never qualifies',
    'live_key',
    { kinds: KINDS, ownTeam: BOTH, access: [true] },
    counted,
  ],
  [
    'with an API key nothing is recorded of who is neither signed in nor entitled',
    'live_key',
    { kinds: KINDS, ownTeam: BOTH, access: [false] },
    notCounted('not_signed_in_or_entitled'),
  ],
  [
    "members of the product's own team never count on their own product",
    'token',
    { kinds: KINDS, ownTeam: [true], access: BOTH },
    counted,
  ],
  [
    'a session on its own never qualifies a day',
    'token',
    { kinds: ['session'], ownTeam: BOTH, access: BOTH },
    counted,
  ],
  [
    "heartbeat, activity and the profile read qualify with the person's token",
    'token',
    { kinds: ['heartbeat', 'activity', 'profile_read'], ownTeam: [false], access: BOTH },
    qualifying,
  ],
];

for (const [title, credential, { kinds, ownTeam, access }, expected] of rows) {
  test(title, (t) => {
    for (const kind of kinds) {
      for (const isOwnTeam of ownTeam) {
        for (const hasAccessOrSignedIn of access) {
          const facts = { kind, credential, isOwnTeam, hasAccessOrSignedIn };
          t.deepEqual(decideUsage(facts), expected, JSON.stringify(facts));
        }
      }
    }
  });
}

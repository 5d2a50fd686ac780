import { compareRounds } from '../../measure/contest.ts';
import { entitlementCheck, keyVerification } from '../../measure/contestants.ts';
import type { Figure } from '../../figure.ts';

export const p9: Figure = {
  id: 'P9',
  what: 'entitlement check / better-auth verifyApiKey with its limiter, req/s',
  bounds: { must: 6, stretch: 10, better: 'higher' },
  measure: (stage) =>
    compareRounds(stage, {
      measured: entitlementCheck,
      reference: keyVerification,
      connections: 32,
    }),
};

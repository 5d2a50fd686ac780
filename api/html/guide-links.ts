// Parts of the guides that pages link to.
import type { AlertKind } from '../../domain/alerts/alert-kind.ts';

const POOL_AND_SEAL = '/docs/pool-and-seal';

export const POOL_GUIDE = `${POOL_AND_SEAL}#the-creator-pool`;
export const CHECK_GUIDE = `${POOL_AND_SEAL}#check-it-yourself`;
/** What an operator does about an alert. */
export const alertGuide = (kind: AlertKind) => `/docs/operating#${kind}`;
export const OUTCOME_GUIDE = '/docs/operating#a-payout-whose-outcome-is-unknown';
export const LINE_GUIDE = `${POOL_AND_SEAL}#what-a-line-tells-and-what-it-does-not`;

/** What is failing now, the worst first. */
const FAILING = [
  'open_disputes',
  'payout_failed',
  'endpoint_disabled',
  'endpoint_failing',
  'dead_deliveries',
  'retrying_deliveries',
  'held_deliveries',
  'failed_renewals',
] as const;

/** The closed list of what may be wrong with a product, the worst first. */
export const ISSUES = [
  ...FAILING,
  'no_way_to_check',
  'no_live_key',
  'no_oauth_client',
  'no_endpoint',
  'purchase_not_subscribed',
  'key_expiring',
  'client_secret_expiring',
  'secret_rotation_ending',
] as const;

export type IssueCode = (typeof ISSUES)[number];

/** `about` names the subject: an address, a key, a client, a number. */
export type Issue = { code: IssueCode; about: string | null; at: Date | null };

export type Integration = {
  keys: { name: string; mode: 'live' | 'test'; expiresAt: Date | null }[];
  clients: { name: string; isDisabled: boolean; secretsEnd: Date[] }[];
  endpoints: {
    url: string;
    events: readonly string[];
    isDisabled: boolean;
    failingSince: Date | null;
    previousUntil: Date | null;
  }[];
} & Failures;

/** How many deliveries, disputes and renewals fail, and whether payouts do. */
export type Failures = {
  retrying: number;
  /** These two within the days that a recovery may take. */
  dead: number;
  held: number;
  openDisputes: number;
  /** The time until which the first of them is answered, where that is known. */
  disputeDueAt: Date | null;
  failedRenewals: number;
  /** The latest payout to the seller's bank, where it failed: why, in words, and when. */
  failedPayout: { reason: string; madeAt: Date } | null;
};

/** The others are missing, or will be due. */
export function isFailing({ code }: Issue): boolean {
  return FAILING.some((failing) => failing === code);
}

/** The issues of an integration; none when all is well. */
export function diagnose(integration: Integration): Issue[] {
  const found = [
    ...ofEndpoints(integration),
    ...failingIssues(integration),
    ...ofCredentials(integration),
  ];
  return found.sort((one, other) => ISSUES.indexOf(one.code) - ISSUES.indexOf(other.code));
}

function ofEndpoints({ endpoints }: Integration): Issue[] {
  const enabled = endpoints.filter(({ isDisabled }) => !isDisabled);
  const isSubscribed = enabled.some(({ events }) => events.includes('purchase.completed'));
  return [
    ...(endpoints.length === 0 ? [issue('no_endpoint')] : []),
    ...(endpoints.length > 0 && !isSubscribed ? [issue('purchase_not_subscribed')] : []),
    ...endpoints
      .filter(({ isDisabled }) => isDisabled)
      .map(({ url }) => issue('endpoint_disabled', url)),
    ...enabled
      .filter(({ failingSince }) => failingSince !== null)
      .map(({ url, failingSince }) => issue('endpoint_failing', url, failingSince)),
    ...enabled
      .filter(({ previousUntil }) => previousUntil !== null)
      .map(({ url, previousUntil }) => issue('secret_rotation_ending', url, previousUntil)),
  ];
}

export function failingIssues(failed: Failures): Issue[] {
  const { retrying, dead, held, openDisputes, disputeDueAt, failedRenewals } = failed;
  const { failedPayout: payout } = failed;
  const counted = (code: IssueCode, count: number, at: Date | null = null) =>
    count > 0 ? [issue(code, String(count), at)] : [];
  return [
    ...counted('open_disputes', openDisputes, disputeDueAt),
    ...(payout === null ? [] : [issue('payout_failed', payout.reason, payout.madeAt)]),
    ...counted('dead_deliveries', dead),
    ...counted('retrying_deliveries', retrying),
    ...counted('held_deliveries', held),
    ...counted('failed_renewals', failedRenewals),
  ];
}

/** The product asks who has access by a live key that stays, or through sign-in. */
export function waysToAsk({
  keys,
  clients,
}: {
  keys: Pick<Integration['keys'][number], 'mode' | 'expiresAt'>[];
  clients: Pick<Integration['clients'][number], 'isDisabled'>[];
}) {
  return {
    hasLiveKey: keys.some(({ mode, expiresAt }) => mode === 'live' && expiresAt === null),
    hasClient: clients.some(({ isDisabled }) => !isDisabled),
  };
}

function ofCredentials({ keys, clients }: Integration): Issue[] {
  const { hasLiveKey, hasClient } = waysToAsk({ keys, clients });
  const without: IssueCode[] = hasLiveKey ? [] : ['no_live_key'];
  if (!hasClient) without.push('no_oauth_client');
  return [
    // Either way is enough, so a single missing one is only information.
    ...(without.length === 2 ? [issue('no_way_to_check')] : without.map((code) => issue(code))),
    ...keys
      .filter(({ expiresAt }) => expiresAt !== null)
      .map(({ name, expiresAt }) => issue('key_expiring', name, expiresAt)),
    ...clients.flatMap(({ name, secretsEnd }) =>
      secretsEnd.map((at) => issue('client_secret_expiring', name, at)),
    ),
  ];
}

function issue(code: IssueCode, about: string | null = null, at: Date | null = null): Issue {
  return { code, about, at };
}

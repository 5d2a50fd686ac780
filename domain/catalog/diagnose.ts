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
export const FINDINGS = [
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

export type FindingCode = (typeof FINDINGS)[number];

/** `about` names the subject: an address, a key, a client, a number. */
export type Finding = { code: FindingCode; about: string | null; at: Date | null };

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
} & Trouble;

/** How many deliveries, disputes and renewals are in trouble, and whether payouts are. */
export type Trouble = {
  retrying: number;
  /** These two within the days that a recovery may take. */
  dead: number;
  held: number;
  openDisputes: number;
  /** Until when the first of them is answered, where that is known. */
  disputeDueAt: Date | null;
  failedRenewals: number;
  /** The latest payout to the seller's bank, where it failed: why, in words, and when. */
  failedPayout: { reason: string; madeAt: Date } | null;
};

/** The others are missing, or will be due. */
export function isFailing({ code }: Finding): boolean {
  return FAILING.some((failing) => failing === code);
}

/** The findings of an integration; none when all is well. */
export function diagnose(integration: Integration): Finding[] {
  const found = [
    ...ofEndpoints(integration),
    ...troublesOf(integration),
    ...ofCredentials(integration),
  ];
  return found.sort((one, other) => FINDINGS.indexOf(one.code) - FINDINGS.indexOf(other.code));
}

function ofEndpoints({ endpoints }: Integration): Finding[] {
  const enabled = endpoints.filter(({ isDisabled }) => !isDisabled);
  const isTold = enabled.some(({ events }) => events.includes('purchase.completed'));
  return [
    ...(endpoints.length === 0 ? [finding('no_endpoint')] : []),
    ...(endpoints.length > 0 && !isTold ? [finding('purchase_not_subscribed')] : []),
    ...endpoints
      .filter(({ isDisabled }) => isDisabled)
      .map(({ url }) => finding('endpoint_disabled', url)),
    ...enabled
      .filter(({ failingSince }) => failingSince !== null)
      .map(({ url, failingSince }) => finding('endpoint_failing', url, failingSince)),
    ...enabled
      .filter(({ previousUntil }) => previousUntil !== null)
      .map(({ url, previousUntil }) => finding('secret_rotation_ending', url, previousUntil)),
  ];
}

export function troublesOf(trouble: Trouble): Finding[] {
  const { retrying, dead, held, openDisputes, disputeDueAt, failedRenewals } = trouble;
  const { failedPayout: payout } = trouble;
  const counted = (code: FindingCode, count: number, at: Date | null = null) =>
    count > 0 ? [finding(code, String(count), at)] : [];
  return [
    ...counted('open_disputes', openDisputes, disputeDueAt),
    ...(payout === null ? [] : [finding('payout_failed', payout.reason, payout.madeAt)]),
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

function ofCredentials({ keys, clients }: Integration): Finding[] {
  const { hasLiveKey, hasClient } = waysToAsk({ keys, clients });
  const without: FindingCode[] = hasLiveKey ? [] : ['no_live_key'];
  if (!hasClient) without.push('no_oauth_client');
  return [
    // Either way is enough, so a single missing one is only information.
    ...(without.length === 2 ? [finding('no_way_to_check')] : without.map((code) => finding(code))),
    ...keys
      .filter(({ expiresAt }) => expiresAt !== null)
      .map(({ name, expiresAt }) => finding('key_expiring', name, expiresAt)),
    ...clients.flatMap(({ name, secretsEnd }) =>
      secretsEnd.map((at) => finding('client_secret_expiring', name, at)),
    ),
  ];
}

function finding(code: FindingCode, about: string | null = null, at: Date | null = null): Finding {
  return { code, about, at };
}

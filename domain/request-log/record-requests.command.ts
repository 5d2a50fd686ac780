import { inTransaction, now, type EntityManager } from '../../platform/database/database.ts';
import { anyOf } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { dayOf, decideQuota, isRefusal, type Quota } from './log-sampling.ts';

/**
 * The caller in whose log a request belongs: a key, a client, or whatever once had the refused
 * credential.
 */
export type Caller =
  | { keyId: string; productId: string }
  | { clientId: string; productId?: string | null }
  | { refusedHash: Buffer };

export type LoggedRequest = {
  caller: Caller;
  route: string;
  status: number;
  errorCode: string | null;
  /** The name of the field at fault. */
  param: string | null;
  /** A usage report of a member of the product's own team: it never qualifies. */
  isOwnTeam: boolean;
  requestId: string;
  ageMs: number;
};

/** Whose product it is, a team's or a person's. */
export type ProductOwner = { ownerId: string; isDraft: boolean };

type Filed = { productId: string; apiKeyId: string | null; clientId: string | null };
type FiledRequest = Omit<LoggedRequest, 'caller'> & Filed;

/**
 * Logs the requests whose product is known and has room today, refusals first. Returns the owner of
 * each product and client that was named, by its id.
 */
export async function recordRequests(
  em: EntityManager,
  requests: readonly LoggedRequest[],
): Promise<Map<string, ProductOwner>> {
  return inTransaction(em, async (em) => {
    const filed = await fileAll(em, requests);
    if (filed.length === 0) return new Map();
    const at = await now(em);
    const owners = await findOwners(em, filed);
    const kept = await keepWithinQuota(em, { filed, now: at });
    if (kept.length === 0) return owners;
    const rows = kept.map(({ ageMs, ...request }) => {
      const createdAt = new Date(at.getTime() - ageMs);
      return { ...request, id: newUuid(createdAt.getTime()), createdAt };
    });
    await kysely(em).insertInto('apiRequest').values(rows).execute();
    return owners;
  });
}

async function findOwners(
  em: EntityManager,
  filed: readonly FiledRequest[],
): Promise<Map<string, ProductOwner>> {
  const ids = new Set(filed.map(({ productId }) => productId));
  const products = await kysely(em)
    .selectFrom('product')
    .select(({ eb, fn }) => [
      'id',
      fn.coalesce('ownerTeamId', 'ownerPersonId').as('ownerId'),
      eb('state', '=', 'draft').as('isDraft'),
    ])
    .where('id', '=', anyOf([...ids]))
    .execute();
  const byProduct = new Map(products.map(({ id, ...owner }) => [id, owner as ProductOwner]));
  return new Map(
    filed.flatMap(({ productId, clientId }) => {
      const owner = byProduct.get(productId);
      return [productId, clientId].flatMap((id) => (owner && id ? [[id, owner] as const] : []));
    }),
  );
}

/** Leaves out first-party clients and credentials that never were. */
async function fileAll(
  em: EntityManager,
  requests: readonly LoggedRequest[],
): Promise<FiledRequest[]> {
  const callers = requests.map(({ caller }) => caller);
  const clients = await findClients(em, callers);
  const refused = await findRefused(em, callers);
  return requests.flatMap(({ caller, ...request }) => {
    const filed = file(caller, { clients, refused });
    return filed ? [{ ...request, ...filed }] : [];
  });
}

type Known = { clients: Map<string, string>; refused: Map<string, Filed> };

function file(caller: Caller, { clients, refused }: Known): Filed | null {
  if ('keyId' in caller) {
    return { productId: caller.productId, apiKeyId: caller.keyId, clientId: null };
  }
  if ('refusedHash' in caller) return refused.get(caller.refusedHash.toString('hex')) ?? null;
  const productId = clients.get(caller.clientId);
  return productId === undefined ? null : { productId, apiKeyId: null, clientId: caller.clientId };
}

async function findClients(em: EntityManager, callers: readonly Caller[]) {
  const ids = new Set(callers.flatMap((caller) => ('clientId' in caller ? [caller.clientId] : [])));
  if (ids.size === 0) return new Map<string, string>();
  const clients = await kysely(em)
    .selectFrom('oauthClient')
    .select(['id', 'productId'])
    .where('id', '=', anyOf([...ids]))
    .where('productId', 'is not', null)
    .execute();
  return new Map(clients.map(({ id, productId }) => [id, productId!]));
}

/** Keys and tokens that are revoked, replaced or expired. */
async function findRefused(em: EntityManager, callers: readonly Caller[]) {
  const hashes = callers.flatMap((caller) => ('refusedHash' in caller ? [caller.refusedHash] : []));
  if (hashes.length === 0) return new Map<string, Filed>();
  const keys = await kysely(em)
    .selectFrom('apiKey')
    .select(['keyHash', 'id', 'productId'])
    .where('keyHash', '=', anyOf(hashes))
    .execute();
  const tokens = await kysely(em)
    .selectFrom('accessToken as token')
    .innerJoin('oauthClient as client', 'client.id', 'token.clientId')
    .select(['token.tokenHash', 'client.id', 'client.productId'])
    .where('token.tokenHash', '=', anyOf(hashes))
    .where('client.productId', 'is not', null)
    .execute();
  return new Map<string, Filed>([
    ...keys.map(
      ({ keyHash, id, productId }) =>
        [hexOf(keyHash), { productId, apiKeyId: id, clientId: null }] as const,
    ),
    ...tokens.map(
      ({ tokenHash, id, productId }) =>
        [hexOf(tokenHash), { productId: productId!, apiKeyId: null, clientId: id }] as const,
    ),
  ]);
}

const hexOf = (hash: Uint8Array) => Buffer.from(hash).toString('hex');

/** Counts what is logged; two processes that log for a product wait for each other. */
async function keepWithinQuota(
  em: EntityManager,
  { filed, now }: { filed: readonly FiledRequest[]; now: Date },
): Promise<FiledRequest[]> {
  const byProduct = Map.groupBy(filed, ({ productId }) => productId);
  const quotas = await lockQuotas(em, { productIds: [...byProduct.keys()].toSorted(), now });
  const kept: FiledRequest[] = [];
  for (const quota of quotas) {
    const { logged, room } = decideQuota(quota, now);
    const ofProduct = byProduct.get(quota.productId)!;
    const refusals = ofProduct.filter(({ status }) => isRefusal(status)).slice(0, room.refusals);
    const successes = ofProduct.filter(({ status }) => !isRefusal(status)).slice(0, room.successes);
    Object.assign(quota, logged);
    quota.refusals += refusals.length;
    quota.successes += successes.length;
    kept.push(...refusals, ...successes);
  }
  await saveQuotas(em, quotas);
  return kept;
}

type ProductQuota = Quota & { productId: string };

/** Locks in the order of the key, so that two processes never wait for each other in a ring. */
async function lockQuotas(
  em: EntityManager,
  { productIds, now }: { productIds: string[]; now: Date },
): Promise<ProductQuota[]> {
  const day = dayOf(now);
  return kysely(em)
    .insertInto('requestQuota')
    .values(productIds.map((productId) => ({ productId, day, successes: 0, refusals: 0 })))
    .onConflict((conflict) =>
      conflict
        .column('productId')
        .doUpdateSet({ productId: ({ ref }) => ref('excluded.productId') }),
    )
    .returning(['productId', 'day', 'successes', 'refusals'])
    .execute();
}

async function saveQuotas(em: EntityManager, quotas: readonly ProductQuota[]): Promise<void> {
  await kysely(em)
    .insertInto('requestQuota')
    .values(quotas)
    .onConflict((conflict) =>
      conflict.column('productId').doUpdateSet({
        day: ({ ref }) => ref('excluded.day'),
        successes: ({ ref }) => ref('excluded.successes'),
        refusals: ({ ref }) => ref('excluded.refusals'),
      }),
    )
    .execute();
}

// Finds what an operator searches for by its id, whatever it is. Each look-up is by an index.
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { findByEmail, findByName, findByWords } from './named-places.repository.ts';
import type { Place } from './found-thing.ts';
import { readReference, type Reference } from './pasted-reference.ts';

export async function findPlaces(em: EntityManager, typed: string): Promise<Place[]> {
  const reference = readReference(typed);
  return reference === null ? [] : FINDERS[reference.is](em, reference as never);
}

type Finder<Is extends Reference['is']> = (
  em: EntityManager,
  reference: Extract<Reference, { is: Is }>,
) => Promise<Place[]>;

const FINDERS: { [Is in Reference['is']]: Finder<Is> } = {
  public_id: (em, { prefix, id }) => BY_PREFIX[prefix](em, id),
  uuid: findByUuid,
  access: findAccess,
  cohort: (em, { endpointId }) => findOfProduct(em, { id: endpointId, is: 'cohort' }),
  pool_period: findPoolPeriod,
  pool_payout: findPoolPayout,
  email: findByEmail,
  name: findByName,
  words: findByWords,
};

type Prefix = Extract<Reference, { is: 'public_id' }>['prefix'];

const BY_PREFIX: Record<Prefix, (em: EntityManager, id: string) => Promise<Place[]>> = {
  evt: (em, id) => findOfProduct(em, { id, is: 'delivery' }),
  pay: (em, id) => findPurchase(em, id),
  ch: findPayment,
  re: (em, id) => findPaymentOf(em, { id, table: 'refund' }),
  dp: (em, id) => findPaymentOf(em, { id, table: 'dispute' }),
  // A subscription is on the page of its first purchase.
  sub: async (em, id) => {
    const query = kysely(em).selectFrom('subscription').select('purchaseId').where('id', '=', id);
    const found = await query.executeTakeFirst();
    return found ? findPurchase(em, found.purchaseId) : [];
  },
  grant: findGrant,
  req: findRequest,
  gcl: findClient,
};

const products = (em: EntityManager) => kysely(em).selectFrom('product as p');

async function findProduct(
  em: EntityManager,
  { id, is }: { id: string; is: 'product' | 'access' },
): Promise<Place[]> {
  const found = await products(em).select(['id', 'name as label']).where('id', '=', id).execute();
  return found.map((product) => ({ is, ...product, ref: product.id }));
}

async function findAccess(
  em: EntityManager,
  { productId, personId }: { productId: string; personId: string },
): Promise<Place[]> {
  return [
    ...(await findProduct(em, { id: productId, is: 'access' })),
    ...(await findPerson(em, personId)),
  ];
}

async function findPerson(em: EntityManager, id: string): Promise<Place[]> {
  const person = kysely(em).selectFrom('person').select(['id', 'handle as label']);
  return (await person.where('id', '=', id).execute()).map((found) => ({ is: 'person', ...found }));
}

const TABLES = {
  endpoint: 'webhookEndpoint',
  cohort: 'webhookEndpoint',
  delivery: 'delivery',
  purchase: 'purchase',
  recovery: 'recovery',
} as const;

/** Finds a row of a product, whose name is its label. */
async function findOfProduct(
  em: EntityManager,
  { id, is }: { id: string; is: keyof typeof TABLES },
): Promise<Place[]> {
  const table = TABLES[is] as 'purchase'; // a union of tables is too much for the compiler
  const found = await products(em)
    .innerJoin(`${table} as found`, 'found.productId', 'p.id')
    .select(['found.id', 'p.name as label', 'p.id as ref'])
    .where('found.id', '=', id)
    .execute();
  return found.map((each) => ({ is, ...each }));
}

const findPurchase = (em: EntityManager, id: string) => findOfProduct(em, { id, is: 'purchase' });

/** A payment is on the page of its purchase, one for Member on that of its person. */
async function findPayment(em: EntityManager, id: string): Promise<Place[]> {
  const found = await kysely(em)
    .selectFrom('payment')
    .leftJoin('membership', 'membership.id', 'payment.membershipId')
    .select(['payment.purchaseId', 'membership.personId'])
    .where('payment.id', '=', id)
    .executeTakeFirst();
  if (found?.purchaseId) return findPurchase(em, found.purchaseId);
  return found?.personId ? findPerson(em, found.personId) : [];
}

async function findPaymentOf(
  em: EntityManager,
  { id, table }: { id: string; table: 'refund' | 'dispute' },
): Promise<Place[]> {
  const row = kysely(em)
    .selectFrom(table as 'refund')
    .select('paymentId')
    .where('id', '=', id);
  const found = await row.executeTakeFirst();
  return found ? findPayment(em, found.paymentId) : [];
}

async function findByUuid(em: EntityManager, { id }: { id: string }): Promise<Place[]> {
  return [
    ...(await findProduct(em, { id, is: 'product' })),
    ...(await findPerson(em, id)),
    ...(await findOfProduct(em, { id, is: 'endpoint' })),
    ...(await findOfProduct(em, { id, is: 'recovery' })),
    ...(await findPersonOf(em, id)),
  ];
}

/** Finds the person of a membership or a mail. */
async function findPersonOf(em: EntityManager, id: string): Promise<Place[]> {
  const membership = kysely(em).selectFrom('membership').select('personId').where('id', '=', id);
  const mail = kysely(em).selectFrom('mailToken').select('personId').where('id', '=', id);
  const found = (await membership.executeTakeFirst()) ?? (await mail.executeTakeFirst());
  return found?.personId ? findPerson(em, found.personId) : [];
}

async function findGrant(em: EntityManager, id: string): Promise<Place[]> {
  const found = await kysely(em)
    .selectFrom('accessGrant')
    .select(['productId', 'personId'])
    .where('source', '=', id)
    .where('type', '=', 'complimentary')
    .executeTakeFirst();
  return found ? findAccess(em, found) : [];
}

/** Finds a request of the last week. */
async function findRequest(em: EntityManager, id: string): Promise<Place[]> {
  const found = await products(em)
    .innerJoin('apiRequest as r', 'r.productId', 'p.id')
    .select(['r.requestId as id', 'p.name as label', 'p.id as ref'])
    .where('r.requestId', '=', id)
    .execute();
  return found.map((request) => ({ is: 'request', ...request }));
}

async function findClient(em: EntityManager, id: string): Promise<Place[]> {
  const found = await kysely(em)
    .selectFrom('oauthClient')
    .select(['id', 'name as label', 'productId as ref'])
    .where('id', '=', id)
    .execute();
  return found.map(({ ref, ...client }) =>
    ref === null ? { is: 'first_party', ...client } : { is: 'client', ...client, ref },
  );
}

async function findPoolPeriod(em: EntityManager, { id }: { id: string }): Promise<Place[]> {
  const found = await kysely(em)
    .selectFrom('poolPeriod')
    .select('id')
    .where('id', '=', id)
    .execute();
  return found.map((period) => ({ is: 'pool_period', ...period, label: period.id }));
}

async function findPoolPayout(em: EntityManager, { id }: { id: string }): Promise<Place[]> {
  const found = await kysely(em)
    .selectFrom('poolPayout')
    .select(['id', 'periodId'])
    .where('id', '=', id)
    .execute();
  return found.map((payout) => ({ is: 'pool_payout', ...payout, label: payout.id }));
}

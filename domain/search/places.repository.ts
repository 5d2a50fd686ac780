// Finds what an operator searches for by its id, whatever it is. Each look-up is by an index.
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { findByEmail, findByName, findByWords } from './named-places.repository.ts';
import type { Place } from './place.ts';
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
  cohort: (em, { endpointId }) => findEndpoint(em, { id: endpointId, is: 'cohort' }),
  pool_period: findPoolPeriod,
  pool_payout: findPoolPayout,
  email: findByEmail,
  name: findByName,
  words: findByWords,
};

type Prefix = Extract<Reference, { is: 'public_id' }>['prefix'];

const BY_PREFIX: Record<Prefix, (em: EntityManager, id: string) => Promise<Place[]>> = {
  evt: findDelivery,
  pay: findPurchase,
  ch: findPayment,
  re: async (em, id) => {
    const refund = kysely(em).selectFrom('refund').select('paymentId').where('id', '=', id);
    const found = await refund.executeTakeFirst();
    return found ? findPayment(em, found.paymentId) : [];
  },
  dp: async (em, id) => {
    const dispute = kysely(em).selectFrom('dispute').select('paymentId').where('id', '=', id);
    const found = await dispute.executeTakeFirst();
    return found ? findPayment(em, found.paymentId) : [];
  },
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

async function findEndpoint(
  em: EntityManager,
  { id, is }: { id: string; is: 'endpoint' | 'cohort' },
): Promise<Place[]> {
  const found = await products(em)
    .innerJoin('webhookEndpoint as e', 'e.productId', 'p.id')
    .select(['e.id', 'p.name as label', 'p.id as ref'])
    .where('e.id', '=', id)
    .execute();
  return found.map((endpoint) => ({ is, ...endpoint }));
}

async function findDelivery(em: EntityManager, id: string): Promise<Place[]> {
  const found = await products(em)
    .innerJoin('delivery as d', 'd.productId', 'p.id')
    .select(['d.id', 'p.name as label', 'p.id as ref'])
    .where('d.id', '=', id)
    .execute();
  return found.map((delivery) => ({ is: 'delivery', ...delivery }));
}

async function findPurchase(em: EntityManager, id: string): Promise<Place[]> {
  const found = await products(em)
    .innerJoin('purchase', 'purchase.productId', 'p.id')
    .select(['purchase.id', 'p.name as label', 'p.id as ref'])
    .where('purchase.id', '=', id)
    .execute();
  return found.map((purchase) => ({ is: 'purchase', ...purchase }));
}

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

async function findByUuid(em: EntityManager, { id }: { id: string }): Promise<Place[]> {
  const recoveries = await products(em)
    .innerJoin('recovery', 'recovery.productId', 'p.id')
    .select(['recovery.id', 'p.name as label', 'p.id as ref'])
    .where('recovery.id', '=', id)
    .execute();
  return [
    ...(await findProduct(em, { id, is: 'product' })),
    ...(await findPerson(em, id)),
    ...(await findEndpoint(em, { id, is: 'endpoint' })),
    ...recoveries.map((recovery) => ({ is: 'recovery' as const, ...recovery })),
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

// Finds what an operator searches for by its id or name, whatever it is. Each look-up but that of a
// key's last characters is by an index.
import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { readReference, type Reference } from './reference.ts';

/** A thing that has a page; `ref` names its product in the console. */
export type Place =
  | { is: 'person'; id: string; label: string }
  | { is: PlaceOfProduct; id: string; label: string; ref: string };

type PlaceOfProduct =
  | 'product'
  | 'delivery'
  | 'cohort'
  | 'purchase'
  | 'endpoint'
  | 'recovery'
  | 'key'
  | 'access';

const MOST_KEYS = 20;

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
  access: async (em, { productId, personId }) => [
    ...(await findProduct(em, { id: productId, is: 'access' })),
    ...(await findPerson(em, personId)),
  ],
  cohort: (em, { endpointId }) => findEndpoint(em, { id: endpointId, is: 'cohort' }),
  name: findByName,
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
};

const products = (em: EntityManager) => kysely(em).selectFrom('product as p');

async function findProduct(
  em: EntityManager,
  { id, is }: { id: string; is: 'product' | 'access' },
): Promise<Place[]> {
  const found = await products(em).select(['id', 'name as label']).where('id', '=', id).execute();
  return found.map((product) => ({ is, ...product, ref: product.id }));
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

/** Of a membership or a mail. */
async function findPersonOf(em: EntityManager, id: string): Promise<Place[]> {
  const membership = kysely(em).selectFrom('membership').select('personId').where('id', '=', id);
  const mail = kysely(em).selectFrom('mailToken').select('personId').where('id', '=', id);
  const found = (await membership.executeTakeFirst()) ?? (await mail.executeTakeFirst());
  return found?.personId ? findPerson(em, found.personId) : [];
}

async function findByName(em: EntityManager, { name }: { name: string }): Promise<Place[]> {
  const lower = name.toLowerCase();
  const people = await kysely(em)
    .selectFrom('person')
    .select(['id', 'handle as label'])
    .where('handle', '=', lower)
    .execute();
  const named = await products(em)
    .innerJoin('productSlug', 'productSlug.productId', 'p.id')
    .select(['p.id', 'p.name as label', 'p.id as ref'])
    .where('productSlug.slug', '=', lower)
    .execute();
  return [
    ...people.map((person) => ({ is: 'person' as const, ...person })),
    ...named.map((product) => ({ is: 'product' as const, ...product })),
    ...(name.length === 4 ? await findKeys(em, name) : []),
  ];
}

async function findKeys(em: EntityManager, lastFour: string): Promise<Place[]> {
  const found = await products(em)
    .innerJoin('apiKey as key', 'key.productId', 'p.id')
    .select(['key.id', 'p.id as ref'])
    .select(sql<string>`p.name || ', ' || key.name`.as('label'))
    .where('key.lastFour', '=', lastFour)
    .orderBy('key.createdAt', 'desc')
    .limit(MOST_KEYS)
    .execute();
  return found.map((key) => ({ is: 'key', ...key }));
}

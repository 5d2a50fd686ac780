import type { Processor } from '../../clients/processor/processor.ts';
import {
  listMemberPriceVersions,
  setMemberPrice,
} from '../../domain/billing/memberships/member-price.repository.ts';
import { Offer } from '../../domain/catalog/offer.entity.ts';
import { PayoutAccount, Product, ProductSlug } from '../../domain/catalog/product.entity.ts';
import { hashPassword } from '../../domain/identity/password.ts';
import { Person } from '../../domain/identity/person.entity.ts';
import { newSecret, newUuid } from '../../domain/shared/ids.ts';
import { createEncryptor, type SecretKey } from '../../domain/shared/secrets.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { now, type Database, type EntityManager } from '../../platform/database/database.ts';
import { resolvePorts } from '../ports.ts';
import { productAddress } from '../mail/product.page.ts';
import {
  createClients,
  createTokens,
  makeKey,
  removeCredentials,
  subscribe,
} from './credentials.ts';
import { PEOPLE, PRODUCTS, type DemoPerson } from './demo-data.ts';
import {
  confirmPayouts,
  createMembers,
  lengthenSpans,
  membersOf,
  STORE_CURRENCY,
} from './pool/members.ts';
import { insertProduct } from './product-rows.ts';
import { createSeals } from './seals.ts';
import { createStore, describeProducts, featureProducts } from './store/create-store.ts';
import { MAKERS, STORE_PRODUCTS } from './store/store-data.ts';
import { subscribeMember } from './subscribe-member.ts';
import { createUsage } from './usage.ts';

const LISTED_DAYS = 200;

type Services = { secretKeys: SecretKey[]; processor: Processor; baseUrl: string };

/** A folder whose demo.json was lost gets new credentials for the rows that are already there. */
export async function createDemo(database: Database, services: Services) {
  const demo = await createRows(database, services);
  const member = demo.people.find(({ roles }) => roles.includes('member'))!;
  await subscribeMember({ ...services, database }, member);
  await createSeals(database, demo.products);
  return demo;
}

/** All that needs no answer of the simulator, in one transaction. */
async function createRows(database: Database, { secretKeys, processor }: Services) {
  const password = `demo-${newSecret().slice(0, 12)}`;
  const passwordHash = await hashPassword(password);
  const accounts = new Map<string, string>();
  for (const owner of new Set([...PRODUCTS, ...STORE_PRODUCTS].map((product) => product.owner))) {
    accounts.set(owner, await openReadyAccount(processor, emailOf(owner)));
  }
  // The demo's receiver listens here while `npm start` runs.
  const { receiver } = await resolvePorts({ receiver: 0 });
  const encryptor = createEncryptor(secretKeys);
  return database.transaction(async (em) => {
    await removeCredentials(em);
    const credentials = { password, passwordHash, accounts };
    const people = await createPeople(em, PEOPLE, credentials);
    const makers = await createPeople(em, MAKERS, credentials);
    const idOf = (role: string) =>
      people.find(({ roles }) => roles.some((each) => each === role))!.id;
    await priceMember(em, idOf('operator'));
    const at = await now(em);
    const members = await createMembers(em, { memberId: idOf('member'), at });
    const products = [];
    for (const product of PRODUCTS) {
      const owner = people.find(({ handle }) => handle === product.owner)!;
      const url = `http://127.0.0.1:${receiver}/webhooks/${product.slug}`;
      const made = await createProduct(em, { product, ownerId: owner.id });
      const clients = await createClients(em, made);
      const knownIds = [idOf('member'), ...membersOf(members, made.slug)];
      await createUsage(em, { productId: made.id, knownIds, people: product.people });
      const endpoint = await subscribe(em, { productId: made.id, url, encryptor });
      products.push({ ...made, clients, endpoints: [endpoint] });
    }
    await createStore(em, makers);
    await describeProducts(em);
    await featureProducts(em, idOf('operator'));
    await lengthenSpans(em, { products, at });
    await confirmPayouts(em, { operatorId: idOf('operator'), at });
    const { id: productId, clients } = products[0]!;
    const { client_id: clientId, redirect_uris: redirectUris } = clients[0]!;
    const redirectUri = redirectUris[0]!;
    const given = { productId, personId: idOf('buyer'), clientId, redirectUri };
    const tokens = await createTokens(em, given);
    return { people, products, tokens };
  });
}

/** A price that was changed stays. */
async function priceMember(em: EntityManager, byId: string): Promise<void> {
  if ((await listMemberPriceVersions(em)).length > 0) return;
  const price = { currency: STORE_CURRENCY, amountMinor: 999, byId };
  await setMemberPrice(em, { ...price, billingInterval: 'month' });
  await setMemberPrice(em, { ...price, amountMinor: 9_900, billingInterval: 'year' });
}

async function createPeople(
  em: EntityManager,
  list: readonly DemoPerson[],
  given: { password: string; passwordHash: string; accounts: Map<string, string> },
) {
  const { password, passwordHash, accounts } = given;
  const at = await now(em);
  const made = [];
  for (const { handle, displayName, roles } of list) {
    const known = await em.findOne(Person, { handle });
    const person = { id: known?.id ?? newUuid(), handle, email: emailOf(handle) };
    await em.upsert(Person, {
      ...person,
      displayName,
      passwordHash,
      emailVerifiedAt: at,
      isOperator: roles.includes('operator'),
      builderVerifiedAt: roles.includes('builder') ? at : null,
    });
    const personId = person.id;
    const processorAccount = accounts.get(handle);
    if (processorAccount) {
      const account = { processorAccount, canCharge: true, isSubmitted: true };
      const isKnown = await em.nativeUpdate(PayoutAccount, { personId, replacedAt: null }, account);
      if (!isKnown) await em.insert(PayoutAccount, { id: newUuid(), personId, ...account });
    }
    made.push({ ...person, password, roles });
  }
  return made;
}

async function createProduct(
  em: EntityManager,
  { product, ownerId }: { product: (typeof PRODUCTS)[number]; ownerId: string },
) {
  const { slug, state, includedWithMember, prices } = product;
  const known = await em.findOne(ProductSlug, { slug });
  const id =
    known?.productId ?? (await insertProduct(em, { ...product, ownerId, listedDays: LISTED_DAYS }));
  const offer = await em.findOneOrFail(Offer, { productId: id, isDefault: true });
  return {
    id,
    slug,
    state,
    included_with_member: includedWithMember,
    live_key: await makeKey(em, id, 'live'),
    test_key: await makeKey(em, id, 'test'),
    offers: Object.entries(prices).map(([currency, amount_minor], index) => {
      return { id: offer.id, kind: 'one_time', currency, amount_minor, base: index === 0 };
    }),
  };
}

/** _Open_ leads to a page of this machine, unless somebody has typed another address. */
export async function placeProducts(em: EntityManager, mailboxUrl: string): Promise<void> {
  for (const { slug } of [...PRODUCTS, ...STORE_PRODUCTS]) {
    const named = await em.findOne(ProductSlug, { slug });
    const product = named && (await em.findOne(Product, named.productId));
    if (!product) continue;
    const isOurs = product.websiteUrl?.endsWith(productAddress('', slug)) ?? true;
    if (isOurs) product.websiteUrl = productAddress(mailboxUrl, slug);
  }
  await em.flush();
}

function emailOf(handle: string): string {
  return `${handle}@example.com`;
}

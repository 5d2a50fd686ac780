import type { Processor } from '../../clients/processor/processor.ts';
import { ApiKey } from '../../domain/catalog/keys/api-key.entity.ts';
import { Offer, Price } from '../../domain/catalog/offer.entity.ts';
import { PayoutAccount, Product, ProductSlug } from '../../domain/catalog/product.entity.ts';
import { Membership } from '../../domain/entitlements/memberships/membership.entity.ts';
import { hashPassword } from '../../domain/identity/password.ts';
import { Person } from '../../domain/identity/person.entity.ts';
import { now, rows, type Database, type EntityManager } from '../../platform/database/database.ts';
import { hashCredential, newCredential, newSecret, newUuid } from '../../domain/shared/ids.ts';
import { sealEndpointSecret } from '../../domain/webhooks/endpoints/endpoint-secret.ts';
import { createSealer, type SecretKey, type Sealer } from '../../domain/shared/secrets.ts';
import {
  listMemberPriceVersions,
  setMemberPrice,
} from '../../domain/billing/memberships/member-price.repository.ts';
import { SUBSCRIBABLE } from '../../domain/webhooks/events.schema.ts';
import { WebhookEndpoint } from '../../domain/webhooks/endpoints/endpoint.entity.ts';
import { resolvePorts } from '../ports.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { createClients, createTokens, removeDemoClients } from './sign-in.ts';
import { PEOPLE, PRODUCTS, type DemoData } from './cast.ts';

type DemoPerson = DemoData['people'][number];
type DemoProduct = DemoData['products'][number];

/**
 * All of the demo data in one transaction. A folder whose demo.json was lost gets new credentials
 * for the rows that are already there.
 */
export async function createDemo(
  database: Database,
  tools: { secretKeys: SecretKey[]; processor: Processor },
): Promise<Pick<DemoData, 'people' | 'products' | 'tokens'>> {
  const password = `demo-${newSecret().slice(0, 12)}`;
  const passwordHash = await hashPassword(password);
  const accounts = new Map<string, string>();
  for (const owner of new Set(PRODUCTS.map((product) => product.owner))) {
    accounts.set(owner, await openReadyAccount(tools.processor, emailOf(owner)));
  }
  // The receiver of the demo listens here later; nothing does until then.
  const ports = await resolvePorts({ receiver: 0 });
  const sealer = createSealer(tools.secretKeys);
  return database.transaction(async (em) => {
    await removeDemoCredentials(em);
    const people = await createPeople(em, { password, passwordHash, accounts });
    const products: DemoProduct[] = [];
    for (const product of PRODUCTS) {
      const owner = people.find(({ handle }) => handle === product.owner)!;
      const url = `http://127.0.0.1:${ports.receiver}/webhooks/${product.slug}`;
      products.push(await createProduct(em, { product, ownerId: owner.id, url, sealer }));
    }
    await priceMember(
      em,
      people.find(({ roles }) => roles.includes('operator'))!,
    );
    const product = products[0]!;
    product.clients = await createClients(em, product.id);
    const buyer = people.find(({ roles }) => roles.includes('buyer'))!;
    return { people, products, tokens: await createTokens(em, product, buyer.id) };
  });
}

/** A price that was changed stays. */
async function priceMember(em: EntityManager, { id: byId }: DemoPerson): Promise<void> {
  if ((await listMemberPriceVersions(em)).length > 0) return;
  const price = { currency: 'USD', amountMinor: 999, byId };
  await setMemberPrice(em, { ...price, billingInterval: 'month' });
  await setMemberPrice(em, { ...price, amountMinor: 9_900, billingInterval: 'year' });
}

async function createPeople(
  em: EntityManager,
  given: { password: string; passwordHash: string; accounts: Map<string, string> },
): Promise<DemoPerson[]> {
  const at = await now(em);
  const made: DemoPerson[] = [];
  for (const { handle, displayName, roles } of PEOPLE) {
    const known = await em.findOne(Person, { handle });
    const id = known?.id ?? newUuid();
    const email = emailOf(handle);
    await em.upsert(Person, {
      id,
      handle,
      displayName,
      email,
      passwordHash: given.passwordHash,
      emailVerifiedAt: at,
      isOperator: roles.includes('operator'),
      builderVerifiedAt: roles.includes('builder') ? at : null,
    });
    const processorAccount = given.accounts.get(handle);
    if (processorAccount) {
      await em.upsert(
        PayoutAccount,
        { id: newUuid(), personId: id, processorAccount, canCharge: true, isSubmitted: true },
        { onConflictFields: ['personId'], onConflictExcludeFields: ['id'] },
      );
    }
    if (roles.includes('member') && !known) {
      await em.insert(Membership, { id: newUuid(), personId: id, status: 'active', endsAt: null });
    }
    made.push({ id, handle, email, password: given.password, roles });
  }
  return made;
}

async function createProduct(
  em: EntityManager,
  given: {
    product: (typeof PRODUCTS)[number];
    ownerId: string;
    url: string;
    sealer: Sealer;
  },
): Promise<DemoProduct> {
  const { product, ownerId, url, sealer } = given;
  const { slug, name, tagline, state, includedWithMember, prices } = product;
  const known = await em.findOne(ProductSlug, { slug });
  const id = known?.productId ?? newUuid();
  const offerId = known
    ? (await em.findOneOrFail(Offer, { productId: id, isDefault: true })).id
    : newUuid();
  if (!known) {
    const listedAt = state === 'listed' ? await now(em) : null;
    await em.insert(Product, {
      id,
      ownerPersonId: ownerId,
      commercialOperatorId: ownerId,
      name,
      tagline,
      state,
      includedWithMember,
      listedAt,
    });
    await em.insert(ProductSlug, { slug, productId: id });
    await em.insert(Offer, { id: offerId, productId: id, kind: 'one_time', isDefault: true });
    await em.insertMany(
      Price,
      prices.map((price) => ({ id: newUuid(), offerId, ...price })),
    );
  }
  return {
    id,
    slug,
    state,
    included_with_member: includedWithMember,
    live_key: await createKey(em, id, 'live'),
    test_key: await createKey(em, id, 'test'),
    offers: prices.map(({ currency, amountMinor, isBase }) => ({
      id: offerId,
      kind: 'one_time',
      currency,
      amount_minor: amountMinor,
      base: isBase,
    })),
    clients: [],
    endpoints: [await createEndpoint(em, { productId: id, url, sealer })],
  };
}

async function createKey(
  em: EntityManager,
  productId: string,
  mode: 'live' | 'test',
): Promise<string> {
  const key = newCredential(`gk_${mode}_`);
  await em.insert(ApiKey, {
    id: newUuid(),
    productId,
    keyHash: hashCredential(key),
    mode,
    name: 'Demo',
    lastFour: key.slice(-4),
  });
  return key;
}

async function createEndpoint(
  em: EntityManager,
  given: { productId: string; url: string; sealer: Sealer },
): Promise<DemoProduct['endpoints'][number]> {
  const id = newUuid();
  const secret = `whsec_${newSecret()}`;
  const events = SUBSCRIBABLE.map(({ name }) => name);
  await em.insert(WebhookEndpoint, {
    id,
    productId: given.productId,
    slot: 1,
    url: given.url,
    events,
    sealedSecret: sealEndpointSecret(given.sealer, id, secret),
  });
  return { id, url: given.url, secret, events };
}

/** Credentials of an earlier demo.json that is gone: nobody has them any more. */
async function removeDemoCredentials(em: EntityManager): Promise<void> {
  await removeDemoClients(em);
  const slugs = PRODUCTS.map(({ slug }) => `'${slug}'`).join(',');
  const products = `select product_id from product_slug where slug in (${slugs})`;
  await rows(
    em,
    `update api_key set revoked_at = gatehouse_now() where product_id in (${products})`,
  );
  await rows(
    em,
    `update webhook_endpoint set deleted_at = gatehouse_now() where product_id in (${products})`,
  );
}

function emailOf(handle: string): string {
  return `${handle}@example.com`;
}

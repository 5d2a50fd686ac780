import { ApiKey } from '../../../domain/catalog/keys/api-key.entity.ts';
import { Offer, Price } from '../../../domain/catalog/offer.entity.ts';
import { Listing } from '../../../domain/catalog/listing.entity.ts';
import { WIDTHS } from '../../../domain/catalog/pictures/picture.ts';
import { Image, ProductImage } from '../../../domain/catalog/pictures/picture.entity.ts';
import { indexProducts } from '../../../domain/catalog/search/index-products.repository.ts';
import { PayoutAccount, Product, ProductSlug } from '../../../domain/catalog/product.entity.ts';
import {
  addGrant,
  lockAccess,
  storeAccess,
  type NewGrant,
} from '../../../domain/entitlements/entitlement.repository.ts';
import { PIXEL } from '../http/picture-file.ts';
import { createToken } from '../../../dev/demo/credentials.ts';
import { createClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { Person } from '../../../domain/identity/person.entity.ts';
import type { ClientKind } from '../../../domain/oauth/clients/redirect-uri.ts';
import type { Database } from '../../../platform/database/database.ts';
import {
  hashCredential,
  newCredential,
  newPublicId,
  newSecret,
  newUuid,
} from '../../../domain/shared/ids.ts';
import { encryptEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import { createEncryptor, type SecretKey } from '../../../domain/shared/secrets.ts';
import type { SubscribableName } from '../../../domain/webhooks/events.schema.ts';
import { WebhookEndpoint } from '../../../domain/webhooks/endpoints/endpoint.entity.ts';

export type SeedPerson = { id: string; handle: string; email: string; password: string };

export type SeedProduct = {
  id: string;
  slug: string;
  name: string;
  ownerPersonId: string;
  offerId: string;
  liveKey: string;
  testKey: string;
};

type PersonOptions = {
  handle?: string;
  isEmailVerified?: boolean;
  isBuilder?: boolean;
  isOperator?: boolean;
};

type ProductOptions = {
  owner?: SeedPerson;
  slug?: string;
  oldSlugs?: string[];
  name?: string;
  state?: 'draft' | 'listed' | 'unlisted' | 'removed';
  delivery?: 'entitlement_api' | 'external_store' | 'affiliate';
  includedWithMember?: boolean;
  /** Minor units by currency, the base price first. */
  prices?: Record<string, number>;
};

type AccessKey = { productId: string; personId: string };

type KeyOptions = { productId: string; mode: 'live' | 'test'; expiresAt?: Date; revokedAt?: Date };

type ClientOptions = {
  product: Pick<SeedProduct, 'id'> | null;
  kind?: ClientKind;
  name?: string;
  redirectUris?: string[];
};

type TokenOptions = {
  product: Pick<SeedProduct, 'id'>;
  person?: Pick<SeedPerson, 'id'>;
  clientId?: string;
  scope?: string;
};

const HOUR_MS = 3_600_000;
const PASSWORD = 'correct horse battery';
// At the lowest cost: a sign-in takes microseconds of a core, at our own cost a tenth of a second.
const PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$MDl4KycWka4SOXAtqzZNnA$jkuhNmpwZ7naQxUMA/34F5ZSR9ot0zASYKmqxZ5U2RE';

let lastNumber = 0;

/** Rows as the product itself would have written them. */
export function createSeed(database: Database, secretKeys: readonly SecretKey[]) {
  return {
    person: (options: PersonOptions = {}) => insertPerson(database, options),
    product: (options: ProductOptions = {}) => insertProduct(database, options),
    key: (options: KeyOptions) => insertKey(database, options),
    grant: (key: AccessKey, options: Partial<NewGrant> = {}) => insertGrant(database, key, options),
    client: (options: ClientOptions) => insertClient(database, options),
    token: (options: TokenOptions) => insertToken(database, options),
    async payoutAccount(
      { id }: SeedPerson,
      { account, canCharge = true }: { account: string; canCharge?: boolean },
    ): Promise<void> {
      const row = { id: newUuid(), personId: id, processorAccount: account, canCharge };
      await database.em().insert(PayoutAccount, row);
    },
    async endpoint(options: EndpointOptions) {
      const id = newUuid();
      const secret = `whsec_${newSecret()}`;
      const { events = ['purchase.completed', 'entitlement.created'] } = options;
      const encryptedSecret = encryptEndpointSecret(createEncryptor(secretKeys), id, secret);
      const row = { id, slot: 1, ...options, events, encryptedSecret };
      await database.em().insert(WebhookEndpoint, row);
      return { id, secret };
    },
  };
}

type EndpointOptions = {
  productId: string;
  url: string;
  events?: SubscribableName[];
  slot?: number;
};

export type Seed = ReturnType<typeof createSeed>;

async function insertPerson(database: Database, options: PersonOptions): Promise<SeedPerson> {
  const { handle = `person_${nextNumber()}`, isEmailVerified = true, isBuilder = false } = options;
  const made = { id: newUuid(), handle, email: `${handle}@example.com` };
  await database.em().insert(Person, {
    ...made,
    displayName: `Person ${handle}`,
    passwordHash: PASSWORD_HASH,
    emailVerifiedAt: isEmailVerified ? new Date() : null,
    builderVerifiedAt: isBuilder ? new Date() : null,
    isOperator: options.isOperator ?? false,
  });
  return { ...made, password: PASSWORD };
}

const DESCRIPTION =
  'It keeps what was typed, finds it again, and does nothing else at all: no accounts, no feeds, no surprises.';

/** Complete, so that a draft can be listed. */
const LISTING = {
  description: DESCRIPTION,
  descriptionHtml: `<p>${DESCRIPTION}</p>`,
  category: 'utilities',
  supportAddress: 'help@seller.example',
} as const;

async function insertProduct(database: Database, options: ProductOptions): Promise<SeedProduct> {
  const number = nextNumber();
  const { slug = `product-${number}`, name = `Product ${number}`, state = 'listed' } = options;
  const owner = options.owner ?? (await insertPerson(database, { isBuilder: true }));
  const id = newUuid();
  const em = database.em();
  await em.insert(Product, {
    id,
    ownerPersonId: owner.id,
    commercialOperatorId: owner.id,
    name,
    tagline: 'Does one thing well.',
    state,
    delivery: options.delivery ?? 'entitlement_api',
    includedWithMember: options.includedWithMember ?? false,
    websiteUrl: state === 'draft' ? 'https://seller.example/' : null,
    listedAt: state === 'draft' ? null : new Date(),
  });
  await em.insert(Listing, { productId: id, ...LISTING });
  if (state === 'draft') await insertIcon(database, id);
  await em.insert(ProductSlug, { slug, productId: id, isCurrent: true });
  await indexProducts(em, [id]);
  for (const old of options.oldSlugs ?? []) {
    await em.insert(ProductSlug, { slug: old, productId: id, isCurrent: false });
  }
  return {
    id,
    slug,
    name,
    ownerPersonId: owner.id,
    offerId: await insertOffer(database, id, options.prices ?? { USD: 1_250 }),
    liveKey: await insertKey(database, { productId: id, mode: 'live' }),
    testKey: await insertKey(database, { productId: id, mode: 'test' }),
  };
}

async function insertIcon(database: Database, productId: string): Promise<void> {
  const hash = productId.replaceAll('-', '');
  const otherHash = newUuid().replaceAll('-', '');
  const em = database.em();
  await em.insertMany(
    Image,
    WIDTHS.map((width) => ({ hash, otherHash, width, bytes: PIXEL })),
  );
  await em.insert(ProductImage, { productId, position: 0, kind: 'icon', hash, alt: '' });
}

async function insertOffer(
  database: Database,
  productId: string,
  prices: Record<string, number>,
): Promise<string> {
  const offerId = newUuid();
  const em = database.em();
  await em.insert(Offer, { id: offerId, productId, kind: 'one_time', isDefault: true });
  for (const [index, [currency, amountMinor]] of Object.entries(prices).entries()) {
    const isBase = index === 0;
    await em.insert(Price, { id: newUuid(), offerId, currency, amountMinor, isBase });
  }
  return offerId;
}

async function insertKey(database: Database, options: KeyOptions): Promise<string> {
  const { productId, mode, expiresAt = null, revokedAt = null } = options;
  const key = newCredential(`gk_${mode}_`);
  await database.em().insert(ApiKey, {
    id: newUuid(),
    productId,
    keyHash: hashCredential(key),
    mode,
    name: 'Server',
    lastFour: key.slice(-4),
    expiresAt,
    revokedAt,
  });
  return key;
}

/** A source of access since an hour ago: a purchase for good, unless told otherwise. */
async function insertGrant(database: Database, key: AccessKey, options: Partial<NewGrant>) {
  const grant: NewGrant = {
    type: 'purchase',
    source: newPublicId('pay_'),
    startsAt: new Date(Date.now() - HOUR_MS),
    endsAt: null,
    ...options,
  };
  await database.transaction(async (em) => {
    const access = await lockAccess(em, key);
    await addGrant(em, key, grant);
    await storeAccess(em, access, { reason: 'granted' });
  });
}

async function insertClient(database: Database, options: ClientOptions) {
  const { product, kind = 'confidential', name = `App ${nextNumber()}` } = options;
  const redirectUris = options.redirectUris ?? ['https://app.example/cb'];
  const client = { productId: product?.id ?? null, kind, name, redirectUris };
  const { clientId, secret } = await database.transaction((em) => createClient(em, client));
  return { clientId, secret: secret ?? '', kind, name, redirectUri: redirectUris[0]! };
}

async function insertToken(database: Database, options: TokenOptions) {
  const { product, scope = 'identity entitlements' } = options;
  const clientId = options.clientId ?? (await insertClient(database, { product })).clientId;
  const personId = (options.person ?? (await insertPerson(database, {}))).id;
  const redirectUri = 'https://app.example/cb';
  const token = await database.transaction((em) =>
    createToken(em, { clientId, personId, scope, redirectUri }),
  );
  return { token, personId, clientId };
}

function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}

import test from 'ava';
import { entitlement } from '../../../api/v1/entitlement.presenter.ts';
import { AccessGrant, Entitlement } from '../../../domain/entitlements/entitlement.entity.ts';
import {
  lockAccess,
  storeAccess,
  type NewGrant,
} from '../../../domain/entitlements/entitlement.repository.ts';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { ApiKey } from '../../../domain/catalog/keys/api-key.entity.ts';
import { hashCredential, newCredential, newUuid } from '../../../domain/shared/ids.ts';
import type { SeedProduct } from '../../support/catalog/seed.ts';
import { api, product } from './scene.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const HOUR_MS = 3_600_000;

function ask(key: string, query: string, headers: Record<string, string> = {}) {
  return api.request(`/api/v1/entitlements${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
}

async function check(key: string, userId: string, headers: Record<string, string> = {}) {
  const response = await ask(key, `?user_id=${userId}`, headers);
  return entitlement.strict().parse(await response.json());
}

const grant = (to: SeedProduct, personId: string, changes: Partial<NewGrant> = {}) =>
  api.seed.grant({ productId: to.id, personId }, changes);

test('a person with a purchase is answered active, with its reference', async (t) => {
  const person = await api.seed.person();
  await grant(product, person.id, { source: 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB' });
  const response = await ask(product.liveKey, `?user_id=${person.id}`);
  t.is(response.status, 200);
  t.is(response.headers.get('cache-control'), 'no-store');
  t.deepEqual(await response.json(), {
    product_id: product.id,
    user_id: person.id,
    active: true,
    type: 'purchase',
    source: 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB',
    ends_at: null,
    test_mode: false,
  });
});

test('no entitlement, and a person who does not exist, are answered alike', async (t) => {
  const person = await api.seed.person();
  const none = { active: false, type: null, source: null, ends_at: null };
  t.like(await check(product.liveKey, person.id), none);
  t.like(await check(product.liveKey, NOBODY), none);
});

test('access that has ended is inactive with its last type, source and end', async (t) => {
  const person = await api.seed.person();
  const endsAt = new Date(Date.now() - 1_000);
  await grant(product, person.id, { type: 'complimentary', source: 'grant_1', endsAt });
  t.like(await check(product.liveKey, person.id), {
    active: false,
    type: 'complimentary',
    source: 'grant_1',
    ends_at: endsAt.toISOString(),
  });
});

// Before the others move the clock: its end is told by that of the process.
test.serial('a cancelled subscription stays active until its end', async (t) => {
  const person = await api.seed.person();
  const endsAt = new Date(Date.now() + HOUR_MS);
  await grant(product, person.id, { type: 'subscription', endsAt });
  const answer = await check(product.liveKey, person.id);
  t.like(answer, { active: true, type: 'subscription', ends_at: endsAt.toISOString() });
});

test('every subscriber of Member may use an Included product, with no purchase behind it', async (t) => {
  const included = await api.seed.product({ includedWithMember: true });
  const person = await api.seed.person();
  await api.database
    .em()
    .insert(Membership, { id: newUuid(), personId: person.id, status: 'active', endsAt: null });
  const member = { active: true, type: 'member' as const, source: 'member', ends_at: null };
  t.like(await check(included.liveKey, person.id), member);
  t.like(await check(product.liveKey, person.id), { active: false });
});

test('the key decides the product: one of another product sees nothing of this one', async (t) => {
  const other = await api.seed.product();
  const person = await api.seed.person();
  await grant(product, person.id);
  const answer = await check(other.liveKey, person.id);
  t.like(answer, { product_id: other.id, active: false, source: null });
  const response = await ask(other.liveKey, `?user_id=${person.id}&product_id=${product.id}`);
  t.like(await response.json(), { product_id: other.id, active: false });
});

test('a test key reads real data and says so', async (t) => {
  const person = await api.seed.person();
  await grant(product, person.id);
  t.like(await check(product.testKey, person.id), { active: true, test_mode: true });
});

test('the test header forces the answer of a test key', async (t) => {
  const person = await api.seed.person();
  await grant(product, person.id);
  const header = (value: string) => ({ 'X-Service-Test-Entitlement': value });
  t.like(await check(product.testKey, NOBODY, header('active')), {
    active: true,
    type: 'complimentary',
    source: 'test',
    ends_at: null,
    test_mode: true,
  });
  t.like(await check(product.testKey, person.id, header('none')), {
    active: false,
    type: null,
    source: null,
  });
});

test('any other value of the test header, a repeated one, and one on a live key are ignored', async (t) => {
  const header = (value: string) => ({ 'x-service-test-entitlement': value });
  for (const value of ['Active', 'NONE', 'true', 'active, active', 'toString', '__proto__']) {
    t.like(await check(product.testKey, NOBODY, header(value)), { active: false, type: null });
  }
  t.like(await check(product.liveKey, NOBODY, header('active')), { active: false });
});

test('user_id missing, empty, repeated or no UUID is 400 that names it', async (t) => {
  const queries = [
    '',
    '?user_id=',
    `?user_id=${NOBODY}&user_id=${NOBODY}`,
    '?user_id=1',
    `?user_id={${NOBODY}}`,
    `?user_id=${NOBODY.replaceAll('-', '')}`,
    `?user_id=%20${NOBODY}`,
    `?user_id=${NOBODY}%0A`,
    `?user_id[]=${NOBODY}`,
  ];
  for (const query of queries) {
    const response = await ask(product.liveKey, query);
    t.is(response.status, 400, query);
    t.like(await response.json(), { error: 'invalid_request', param: 'user_id' });
  }
});

test('a UUID is accepted in either case and any version, and answered in lower case', async (t) => {
  const asked = 'ABCDEF00-0000-9000-F000-00000000000A';
  t.is((await check(product.liveKey, asked)).user_id, asked.toLowerCase());
});

test('no key, a malformed, unknown, revoked or expired one is 401 with a challenge', async (t) => {
  const revoked = await api.seed.key({
    productId: product.id,
    mode: 'live',
    revokedAt: new Date(),
  });
  const expired = await api.seed.key({
    productId: product.id,
    mode: 'live',
    expiresAt: new Date(Date.now() - 1),
  });
  const unknown = newCredential('gk_live_');
  for (const key of ['gk_live_x', unknown, revoked, expired, product.liveKey.slice(0, -1)]) {
    const response = await ask(key, `?user_id=${NOBODY}`);
    t.is(response.status, 401);
    t.is(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    t.like(await response.json(), { error: 'unauthorized' });
  }
  const bare = await api.request(`/api/v1/entitlements?user_id=${NOBODY}`);
  t.is(bare.headers.get('www-authenticate'), 'Bearer');
});

test('a key is read from the Authorization header only', async (t) => {
  const path = `/api/v1/entitlements?user_id=${NOBODY}`;
  const tries = [
    api.request(`${path}&access_token=${product.liveKey}`),
    api.request(path, { headers: { 'x-api-key': product.liveKey } }),
    api.request(path, { headers: { cookie: `gatehouse_session=${product.liveKey}` } }),
    api.request(path, { headers: { authorization: product.liveKey } }),
  ];
  for (const response of await Promise.all(tries)) t.is(response.status, 401);
});

test('a revoked key stops working on the next request', async (t) => {
  const key = await api.seed.key({ productId: product.id, mode: 'live' });
  t.is((await ask(key, `?user_id=${NOBODY}`)).status, 200);
  const keyHash = hashCredential(key);
  await api.database.em().nativeUpdate(ApiKey, { keyHash }, { revokedAt: new Date() });
  t.is((await ask(key, `?user_id=${NOBODY}`)).status, 401);
});

test("the keys of a removed product are dead; unlisting changes nobody's access", async (t) => {
  const unlisted = await api.seed.product({ state: 'unlisted' });
  const person = await api.seed.person();
  await grant(unlisted, person.id);
  t.like(await check(unlisted.liveKey, person.id), { active: true });
  await api.database.em().nativeUpdate(Product, { id: unlisted.id }, { state: 'removed' });
  t.is((await ask(unlisted.liveKey, `?user_id=${person.id}`)).status, 401);
});

test('after a refund the end shown is the instant of withdrawal', async (t) => {
  const person = await api.seed.person();
  await grant(product, person.id);
  const withdrawnAt = new Date(Date.now() - 500);
  const key = { productId: product.id, personId: person.id };
  await api.database.transaction(async (em) => {
    const access = await lockAccess(em, key);
    await em.nativeUpdate(AccessGrant, key, { withdrawnAt });
    await storeAccess(em, access, { reason: 'refunded' });
  });
  t.like(await check(product.liveKey, person.id), {
    active: false,
    type: 'purchase',
    ends_at: withdrawnAt.toISOString(),
  });
  t.is(await api.database.em().count(Entitlement, key), 1);
});

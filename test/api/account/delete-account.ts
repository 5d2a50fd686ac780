import test from 'ava';
import {
  authorizePath,
  exchange,
  newCode,
  parametersOf,
  readProfile,
  readRequestToken,
} from '../../support/identity/oauth.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { isSignedIn, people, type Person } from './scene.ts';

const { api } = people;

const PATH = '/settings/delete-account';

const remove = ({ browser }: Pick<Person, 'browser'>, password: string) =>
  browser.submit('/settings/profile', { action: PATH, fields: { password } });

test.serial(
  'an account is not deleted while it owns a product, nor without its password',
  async (t) => {
    const one = await people.signedIn();
    const product = await api.seed.product({ owner: one.person });
    t.is((await remove(one, 'wrong')).status, 422);
    t.is((await remove(one, one.person.password)).status, 409);
    t.true(await isSignedIn(one));
    await api.test.query(`update product set state = 'removed' where id = $1`, [product.id]);
    t.is((await remove(one, one.person.password)).status, 303);
  },
);

test.serial('a deleted account leaves its purchases and nothing of the person', async (t) => {
  const one = await people.signedIn();
  const { person } = one;
  const product = await api.seed.product();
  await api.seed.grant({ productId: product.id, personId: person.id });
  const forget = { action: '/forgot-password', fields: { email: person.email } };
  await api.browser().submit('/forgot-password', forget);
  const page = await (await one.browser.get(PATH)).text();
  t.regex(page, /be undone/);
  const done = await remove(one, person.password);
  t.is(arrivalOf(done), '/sign-in account_deleted');
  t.false(await isSignedIn(one));
  t.is((await api.browser().signIn(person)).status, 422);
  const kept = await api.test.query('select person_id from access_grant where person_id = $1', [
    person.id,
  ]);
  t.is(kept.length, 1);
  for (const table of ['person', 'session', 'passkey', 'mail_token', 'throttle', 'outbox']) {
    const text = JSON.stringify(await api.test.query(`select * from ${table}`));
    t.false(text.includes(person.email) || text.includes(`"${person.handle}"`), table);
  }
  const again = await people.signUp({ email: person.email });
  t.is((await people.mailsTo(person.email))[0]?.purpose, 'verify_email');
  t.is(again.response.status, 303);
});

test.serial(
  'a deleted account ends tokens, consents, codes and kept requests with it',
  async (t) => {
    const one = await people.signedIn();
    const { browser, person } = one;
    const product = await api.seed.product();
    const client = await api.seed.client({ product });
    const { token } = await api.seed.token({
      product: await api.seed.product(),
      person,
      clientId: client.clientId,
    });
    const code = await newCode(browser, client);
    await browser.get(authorizePath(client));
    t.is((await readProfile(api, token)).status, 200);
    t.is((await remove(one, person.password)).status, 303);
    t.is((await readProfile(api, token)).status, 404);
    t.is((await exchange(api, { client, code })).status, 400);
    for (const table of ['pending_authorization', 'consent', 'authorization_code', 'session']) {
      const left = await api.test.query(`select 1 from ${table} where person_id = $1`, [person.id]);
      t.is(left.length, 0, table);
    }
    const told = await api.test.query<{ name: string }>(
      'select name from event where product_id = $1 order by created_at, id',
      [product.id],
    );
    t.deepEqual(
      told.map(({ name }) => name),
      ['authorization.granted', 'authorization.revoked'],
    );
    const alive = await api.test.query(
      'select 1 from access_token where person_id = $1 and revoked_at is null',
      [person.id],
    );
    t.is(alive.length, 0);
  },
);

test.serial('what the person had access to is withdrawn: entitlement.canceled, once', async (t) => {
  const one = await people.signedIn();
  const product = await api.seed.product();
  const key = { productId: product.id, personId: one.person.id };
  await api.seed.grant(key);
  await api.seed.grant(key, { type: 'complimentary', source: 'grant_x' });
  const both = await Promise.all([
    remove(one, one.person.password),
    remove(one, one.person.password),
  ]);
  t.true(both.some(({ status }) => status === 303));
  const events = await api.test.query<{ name: string }>(
    'select name from event where product_id = $1 order by created_at, id',
    [product.id],
  );
  t.deepEqual(
    events.map(({ name }) => name),
    ['entitlement.created', 'entitlement.canceled'],
  );
  const check = await api.request(`/api/v1/entitlements?user_id=${one.person.id}`, {
    headers: { authorization: `Bearer ${product.liveKey}` },
  });
  t.like(await check.json(), { active: false });
});

test.serial('no token outlives a deletion that comes between consent and exchange', async (t) => {
  const client = await api.seed.client({ product: await api.seed.product() });
  for (let round = 0; round < 15; round += 1) {
    const one = await people.signedIn();
    const code = await newCode(one.browser, client);
    const request = readRequestToken(await (await one.browser.get(authorizePath(client))).text());
    const allow = () =>
      one.browser.submit('/', {
        action: '/oauth/authorize',
        fields: { request, decision: 'allow' },
      });
    const [issued, deleted, allowed] = await Promise.all([
      exchange(api, { client, code }),
      remove(one, one.person.password),
      allow(),
    ]);
    t.is(deleted.status, 303);
    t.true([200, 400].includes(issued.status), `${issued.status}`);
    t.true([303, 400, 401, 403].includes(allowed.status), `${allowed.status}`);
    if (issued.status === 200) {
      const { access_token: token } = (await issued.json()) as { access_token: string };
      t.is((await readProfile(api, token)).status, 404);
    }
    if (allowed.headers.get('location')?.startsWith(client.redirectUri)) {
      const late = parametersOf(allowed)['code']!;
      t.is((await exchange(api, { client, code: late })).status, 400);
    }
    const alive = await api.test.query(
      'select 1 from access_token where person_id = $1 and revoked_at is null',
      [one.person.id],
    );
    t.is(alive.length, 0);
  }
});

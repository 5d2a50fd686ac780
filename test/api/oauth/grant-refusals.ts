import test from 'ava';
import { newCredential, newUuid } from '../../../domain/shared/ids.ts';
import {
  exchange,
  newCode,
  newProof,
  postToken,
  type Fields,
  authorizePath,
  decide,
  readRequestToken,
} from '../../support/identity/oauth.ts';
import { activateBySignIn } from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import { eventually } from '../../support/eventually.ts';
import { tokens } from './scene.ts';

const { api, product, client, publicClient, browser, formOf, newProven, person } = tokens;

async function refusalOf(response: Response): Promise<Fields> {
  const refusal = (await response.json()) as Fields;
  return { status: String(response.status), ...refusal };
}

const invalidGrant = (description: string) => ({
  status: '400',
  error: 'invalid_grant',
  error_description: description,
});

const ask = async (code: string, fields?: Fields, of = client) =>
  refusalOf(await exchange(api, { client: of, code, ...(fields ? { fields } : {}) }));

const askPublicly = async (code: string, fields: Fields) =>
  refusalOf(
    await postToken(api, {
      fields: { ...formOf(code, publicClient), client_id: publicClient.clientId, ...fields },
    }),
  );

const UNKNOWN = invalidGrant(
  'the code is unknown, belongs to another client, or the person has revoked access',
);
const USED = invalidGrant('the code was used already: send the person through sign-in again');

test.serial(
  'a client that proved itself by its secret reads what is wrong with a code',
  async (t) => {
    const code = await newCode(browser, client);
    t.deepEqual(
      await ask(code.slice(0, -1)),
      invalidGrant('the code is cut off or not ours: its checksum is wrong'),
    );
    t.deepEqual(
      await ask(code, { redirect_uri: '' }),
      invalidGrant('redirect_uri is missing: send the one of the authorization request'),
    );
    t.deepEqual(
      await ask(code, { redirect_uri: 'https://app.example/cb/' }),
      invalidGrant('redirect_uri is not the one of the authorization request'),
    );
    t.regex(
      (await ask(code, { code_verifier: newProof().verifier }))['error_description']!,
      /had no/,
    );
    t.is((await exchange(api, { client, code })).status, 200, 'a refusal uses nothing up');
    t.deepEqual(await ask(code), USED);
  },
);

test.serial('a proven client reads what is wrong with the verifier', async (t) => {
  const { code, verifier } = await newProven();
  const description = async (given: string) =>
    (await ask(code, { code_verifier: given }))['error_description']!;
  t.regex(await description(''), /^code_verifier is missing/);
  t.regex(await description('short'), /43 to 128 characters/);
  t.regex(await description(newProof().verifier), /^code_verifier does not fit/);
  t.is((await exchange(api, { client, code, fields: { code_verifier: verifier } })).status, 200);
});

test.serial('an unknown code and one of another client get one text', async (t) => {
  const code = await newCode(browser, client);
  const other = await api.seed.client({ product });
  t.deepEqual(await ask(newCredential('gac_')), UNKNOWN);
  t.deepEqual(await ask(code, {}, other), UNKNOWN);
  t.is((await exchange(api, { client, code })).status, 200);
  t.deepEqual(await ask(code, {}, other), UNKNOWN, 'nor that it was used');
});

test.serial(
  'a client without a secret reads the reason only behind the right verifier',
  async (t) => {
    const { code, verifier } = await newProven(publicClient);
    const { code: another } = await newProven(publicClient);
    const asStranger = { code_verifier: newProof().verifier };
    const before = await askPublicly(code, asStranger);
    t.is(before['error'], 'invalid_grant');
    t.deepEqual(await askPublicly(newCredential('gac_'), asStranger), before, 'no such code');
    t.regex((await askPublicly(code, {}))['error_description']!, /^code_verifier is missing/);
    const own = { code_verifier: verifier };
    t.deepEqual(await askPublicly(another, own), before, "another sign-in's verifier");
    t.regex(
      (await askPublicly(code, { ...own, redirect_uri: 'https://app.example/x' }))[
        'error_description'
      ]!,
      /^redirect_uri is not/,
    );
    t.is((await askPublicly(code, own))['status'], '200');
    t.deepEqual(await askPublicly(code, asStranger), before, 'used');
    t.deepEqual(await askPublicly(code, own), USED);
  },
);

test.serial('a client that is not proven reads nothing about a code', async (t) => {
  const code = await newCode(browser, client);
  const impostor = { ...client, secret: newCredential('gcs_') };
  const refused = await ask(code, {}, impostor);
  t.is(refused['error'], 'invalid_client');
  t.deepEqual(await ask(newCredential('gac_'), {}, impostor), refused);
});

test.serial('a person who withdrew consent, and a code that expired', async (t) => {
  const person = await api.seed.person();
  const visitor = api.browser();
  await visitor.signIn(person);
  const withdrawn = await newCode(visitor, client);
  const old = await newCode(browser, client);
  await visitor.submit('/settings/apps', { action: `/settings/apps/${client.clientId}/revoke` });
  t.deepEqual(await ask(withdrawn), UNKNOWN);
  await api.test.advance(301_000);
  t.regex((await ask(old))['error_description']!, /^the code has expired/);
});

const key = { productId: product.id, personId: person.id };
const settle = () => api.database.transaction((em) => activateBySignIn(em, key));
const told = async () =>
  (
    await api.test.query<{ name: string }>(
      `select name from event where product_id = $1 and name like 'entitlement.%'
       order by created_at, id`,
      [product.id],
    )
  ).map(({ name }) => name);
const messages = () =>
  api.test.query('select 1 from outbox where workflow_id = $1', [
    `entitlement:${product.id}:${person.id}`,
  ]);
async function takeToken(t: { true(is: boolean): void }) {
  const code = await newCode(tokens.browser, tokens.client);
  t.true(await tokens.isAlive(code));
}

test.serial(
  "a member's first token for an Included product opens it, and only the first",
  async (t) => {
    await takeToken(t);
    await api.test.query('update product set included_with_member = true where id = $1', [
      product.id,
    ]);
    await takeToken(t);
    t.deepEqual(await messages(), []);
    await api.test.query(
      `insert into membership (id, person_id, status) values ($1, $2, 'active')`,
      [newUuid(), person.id],
    );
    await settle();
    t.deepEqual(await told(), []);
    await takeToken(t);
    t.is((await messages()).length, 1);
    await Promise.all([settle(), settle(), settle()]);
    t.deepEqual(await told(), ['entitlement.created']);
    await takeToken(t);
    t.is((await messages()).length, 1);
  },
);

test.serial(
  'a first token opens an Included product also while a membership that has ended is served',
  async (t) => {
    const before = (await messages()).length;
    await api.test.query('delete from membership_activation where product_id = $1', [product.id]);
    await api.test.query(
      `update membership set status = 'ended', ended_at = gatehouse_now(),
       ends_at = gatehouse_now() + interval '3 days', withdrawn_at = gatehouse_now()
     where person_id = $1`,
      [person.id],
    );
    const opened = () =>
      api.test.query('select 1 from membership_activation where product_id = $1', [product.id]);
    await settle();
    t.deepEqual(await opened(), []);
    await api.test.query('update membership set withdrawn_at = null where person_id = $1', [
      person.id,
    ]);
    await takeToken(t);
    t.is((await messages()).length, before + 1);
    await settle();
    t.is((await opened()).length, 1);
  },
);

type Counts = { callbacks: number; tokens: number };

async function countedScene() {
  const product = await api.seed.product();
  const client = await api.seed.client({ product });
  const counts = async () =>
    (
      await api.test.query<Counts>(
        'select callbacks, tokens from integration_count where product_id = $1',
        [product.id],
      )
    )[0];
  /** Counts arrive within a second; the last of them stands for those before. */
  const reach = (wanted: Counts) =>
    eventually(
      counts,
      (found) => found?.callbacks === wanted.callbacks && found.tokens === wanted.tokens,
    );
  return { client, reach };
}

test('a sign-in that ends in a token is a callback and a token', async (t) => {
  const { client, reach } = await countedScene();
  const code = await newCode(browser, client);
  t.is((await exchange(api, { client, code })).status, 200);
  t.is((await exchange(api, { client, code })).status, 400, 'the code is used');
  await newCode(browser, client);
  await reach({ callbacks: 2, tokens: 1 });
});

test('a person who refuses is no callback, and a form that was sent twice is one', async (t) => {
  const { client, reach } = await countedScene();
  const path = authorizePath(client);
  const denied = await decide(browser, path, { decision: 'deny' });
  t.regex(denied.headers.get('location')!, /error=access_denied/);
  const request = readRequestToken(await (await browser.get(path)).text());
  const form = { action: '/oauth/authorize', fields: { request, decision: 'allow' } };
  for (let click = 1; click <= 3; click += 1) t.is((await browser.submit('/', form)).status, 303);
  await reach({ callbacks: 1, tokens: 0 });
});

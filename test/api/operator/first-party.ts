import test from 'ava';
import {
  exchange,
  newCode,
  newProof,
  parametersOf,
  postToken,
  readProfile,
  authorizePath,
  decide,
} from '../../support/identity/oauth.ts';
import { people, operator, somebody } from './scene.ts';

const { api } = people;

const PATH = '/operator/clients';
const CALLBACK = 'https://mobile.example/cb';
const FORM = { kind: 'confidential', name: 'Gatehouse for phones', redirect_uris: CALLBACK };

const create = (form: Partial<typeof FORM> = {}) =>
  operator.browser.submit('/', { action: PATH, fields: { ...FORM, ...form } });
const change = (clientId: string, action: string) =>
  operator.browser.submit('/', { action: `${PATH}/${clientId}`, fields: { action } });
const changeUris = (clientId: string, redirectUris: string) =>
  operator.browser.submit('/', {
    action: `${PATH}/${clientId}/redirect-uris`,
    fields: { redirect_uris: redirectUris },
  });

/** The text of the page that a form leads to. */
const shownBy = async (response: Response) => (await operator.browser.follow(response)).text();

function readFresh(page: string) {
  const [, clientId = '', secret = ''] =
    /data-fresh="(gcl_\w+)"[\s\S]*?>(gcs_\w+)</.exec(page) ?? [];
  return { clientId, secret, redirectUri: CALLBACK };
}

async function newClient(form: Partial<typeof FORM> = {}) {
  const client = readFresh(await shownBy(await create(form)));
  if (client.clientId === '') throw new Error('no client was made');
  return client;
}

async function newNative(name: string, redirectUri = 'com.example.app:/cb') {
  await create({ kind: 'native', name, redirect_uris: redirectUri });
  const [row] = await api.test.query<{ id: string }>(
    'select id from oauth_client where name = $1',
    [name],
  );
  return { clientId: row!.id, secret: '', redirectUri };
}

async function signIn(client: Awaited<ReturnType<typeof newClient>>, scope: string) {
  const code = await newCode(somebody.browser, client, { scope });
  const response = await exchange(api, { client, code });
  return (await response.json()) as { access_token: string; scope: string };
}

test.serial(
  'an operator registers a client without a product; the secret is shown once',
  async (t) => {
    const client = await newClient();
    t.regex(client.clientId, /^gcl_[0-9A-Za-z]{22}$/);
    const [row] = await api.test.query<{ product_id: string | null }>(
      'select product_id from oauth_client where id = $1',
      [client.clientId],
    );
    t.is(row!.product_id, null);
    const page = await (await operator.browser.get(PATH)).text();
    t.true(page.includes(client.clientId) && page.includes(`gcs_...${client.secret.slice(-4)}`));
    t.false(page.includes(client.secret));
  },
);

test.serial(
  'a first-party client is granted mobile, and the profile is read with it, without an entitlement',
  async (t) => {
    const client = await newClient();
    const granted = await signIn(client, 'identity entitlements mobile');
    t.is(granted.scope, 'identity entitlements mobile');
    const response = await readProfile(api, granted.access_token);
    t.is(response.status, 200);
    const profile = (await response.json()) as Record<string, unknown>;
    t.is(profile['id'], somebody.person.id);
    t.is(profile['handle'], somebody.person.handle);
    t.false('entitlement' in profile);
    t.is((await signIn(client, 'identity')).scope, 'identity', 'and only where it asks for it');
  },
);

test.serial('a phone app gets mobile with PKCE and no secret', async (t) => {
  const client = await newNative('Phone with PKCE');
  const { verifier, challenge } = newProof();
  const path = authorizePath(client, {
    scope: 'identity mobile',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const { code } = parametersOf(await decide(somebody.browser, path));
  const response = await postToken(api, {
    fields: {
      grant_type: 'authorization_code',
      code: code!,
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      code_verifier: verifier,
    },
  });
  t.is(response.status, 200);
  const { scope, access_token: token } = (await response.json()) as Record<string, string>;
  t.is(scope, 'identity mobile');
  t.is((await readProfile(api, token!)).status, 200);
});

test.serial('mobile is dropped for the client of a product, whatever it asks for', async (t) => {
  const product = await api.seed.product();
  const client = await api.seed.client({ product });
  t.is((await signIn(client, 'identity mobile')).scope, 'identity');
});

test.serial('a first-party client is rotated, disabled, enabled and deleted', async (t) => {
  const client = await newClient();
  const { access_token: token } = await signIn(client, 'identity mobile');
  const status = async () => (await readProfile(api, token)).status;
  const rotated = readFresh(await shownBy(await change(client.clientId, 'rotate')));
  t.is((await signIn(rotated, 'identity')).scope, 'identity');
  t.is((await signIn(client, 'identity')).scope, 'identity', 'the old one for 48 hours');
  t.is((await change(client.clientId, 'rotate')).status, 422);
  t.is((await change(client.clientId, 'disable')).status, 303);
  t.is(await status(), 401);
  t.is((await change(client.clientId, 'enable')).status, 303);
  t.is(await status(), 200);
  t.is((await change(client.clientId, 'delete')).status, 303);
  t.is(await status(), 404);
  for (const action of ['enable', 'rotate', 'delete']) {
    t.is((await change(client.clientId, action)).status, 404);
  }
  const done = await api.test.query<{ action: string; actor_id: string; ip: string }>(
    `select action, actor_id, ip, product_id, team_id from audit
       left join audit_address on audit_id = audit.id where subject = $1 order by at, id`,
    [client.clientId],
  );
  t.deepEqual(
    done.map(({ action }) => action),
    ['client.created', 'client.rotate', 'client.disable', 'client.enable', 'client.delete'],
  );
  for (const row of done) {
    t.like(row, {
      actor_id: operator.person.id,
      ip: '127.0.0.1',
      product_id: null,
      team_id: null,
    });
  }
});

test.serial('redirect URIs of a first-party client are changed, or refused in place', async (t) => {
  const { clientId } = await newClient();
  t.is((await changeUris(clientId, 'https://new.example/cb')).status, 303);
  const uris = () =>
    api.test.query('select uri from redirect_uri where client_id = $1', [clientId]);
  t.deepEqual(await uris(), [{ uri: 'https://new.example/cb' }]);
  const refused = await changeUris(clientId, 'nonsense');
  t.is(refused.status, 422);
  t.regex(await refused.text(), /is not an absolute URI/);
  t.deepEqual(await uris(), [{ uri: 'https://new.example/cb' }]);
  t.is((await changeUris('gcl_none', 'https://new.example/cb')).status, 404);
});

test.serial('what cannot be registered is refused in place, and no row is written', async (t) => {
  const count = () => people.count('oauth_client');
  const before = await count();
  t.is((await create({ name: ' ' })).status, 422);
  t.is((await create({ redirect_uris: 'javascript:alert(1)' })).status, 422);
  t.is((await create({ kind: 'secretive' })).status, 422);
  t.is((await create({ name: 'a\0b' })).status, 400);
  t.is(await count(), before);
});

test.serial(
  "operators' forms do not reach the clients of a product, nor the console's these",
  async (t) => {
    const owner = await people.signedIn(await api.seed.person({ isBuilder: true }));
    const product = await api.seed.product({ owner: owner.person });
    const theirs = await api.seed.client({ product });
    for (const action of ['rotate', 'disable', 'delete']) {
      t.is((await change(theirs.clientId, action)).status, 404);
    }
    t.is((await changeUris(theirs.clientId, CALLBACK)).status, 404);
    const { clientId } = await newClient();
    const console = `/console/products/${product.slug}/clients`;
    for (const action of ['rotate', 'disable', 'delete']) {
      const sent = { action: `${console}/${clientId}`, fields: { action } };
      t.is((await owner.browser.submit('/', sent)).status, 404);
    }
    t.false((await (await owner.browser.get(console)).text()).includes(clientId));
    t.false((await (await operator.browser.get(PATH)).text()).includes(theirs.clientId));
  },
);

test.serial('there may be 20, also when two are made at once', async (t) => {
  await api.test.query('update oauth_client set deleted_at = now() where product_id is null');
  for (let n = 0; n < 19; n += 1) await api.seed.client({ product: null });
  const answers = await Promise.all([create(), create()]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

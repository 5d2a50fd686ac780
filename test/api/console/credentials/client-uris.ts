import test from 'ava';
import {
  authorizePath,
  decide,
  exchange,
  newCode,
  parametersOf,
  postToken,
  type Client,
  basic,
} from '../../../support/identity/oauth.ts';
import { api, browser, product } from './scene.ts';

const OLD = 'https://app.example/cb';
const NEW = 'https://app.example/new';
const path = `/console/products/${product.slug}/clients`;

const edit = ({ clientId }: Pick<Client, 'clientId'>, redirectUris: string, by = browser) =>
  by.submit('/', {
    action: `${path}/${clientId}/redirect-uris`,
    fields: { redirect_uris: redirectUris },
  });

const urisOf = async ({ clientId }: Pick<Client, 'clientId'>) => {
  const sql = 'select uri from redirect_uri where client_id = $1 order by uri';
  return (await api.test.query<{ uri: string }>(sql, [clientId])).map(({ uri }) => uri);
};

test('redirect URIs are changed in the console, and hold at once', async (t) => {
  const client = await api.seed.client({ product });
  t.is((await edit(client, ` ${OLD} \r\n\r\n${NEW}\r\n${NEW}`)).headers.get('location'), path);
  t.deepEqual(await urisOf(client), [OLD, NEW]);
  t.true((await (await browser.get(path)).text()).includes(`${OLD}\n${NEW}</textarea>`));
  const moved = { ...client, redirectUri: NEW };
  const code = await newCode(browser, moved);
  t.is((await exchange(api, { client: moved, code })).status, 200);
  t.is((await edit(client, NEW)).status, 303);
  t.is((await browser.get(authorizePath(client))).status, 400);
});

test('the rules are those of the registration; what is refused changes nothing', async (t) => {
  const client = await api.seed.client({ product });
  const refused: [string, RegExp][] = [
    [' \n ', /Enter at least one redirect URI/],
    ['/cb', /is not an absolute URI/],
    [`${OLD}#x`, /has a fragment/],
    ['http://app.example/cb', /must be https/],
    ['com.example.app:/cb', /must be https/],
    ['javascript:alert(1)', /must be https/],
    ['https://me@app.example/cb', /user name or password/],
    [Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join('\n'), /Enter at most 20/],
    [`${NEW}\nnonsense`, /<code class="id">nonsense<\/code>\s*is not an absolute URI/],
  ];
  for (const [typed, expected] of refused) {
    const response = await edit(client, typed);
    const page = await response.text();
    t.is(response.status, 422, typed);
    t.regex(page, expected);
    t.regex(page, /aria-invalid="true"/);
    t.deepEqual(await urisOf(client), [OLD]);
  }
  t.is((await edit(client, 'a\0b')).status, 400);
  const native = await api.seed.client({ product, kind: 'native' });
  const onName = await edit(native, 'http://127.0.0.1/cb\nhttp://localhost/cb');
  t.is(onName.status, 422);
  t.regex(await onName.text(), /is on localhost/);
  t.is((await edit(native, 'com.example.app:/cb\nhttp://127.0.0.1/cb')).status, 303);
});

test('an unused code of a removed redirect URI is not exchanged, the others are', async (t) => {
  const client = await api.seed.client({ product, redirectUris: [OLD, NEW] });
  const kept = { ...client, redirectUri: NEW };
  const [dead, alive] = [await newCode(browser, client), await newCode(browser, kept)];
  t.is((await edit(client, NEW)).status, 303);
  t.is((await exchange(api, { client, code: dead })).status, 400);
  t.is((await edit(client, `${OLD}\n${NEW}`)).status, 303);
  t.is((await exchange(api, { client, code: dead })).status, 400, 'nor once it is back');
  t.is((await exchange(api, { client: kept, code: alive })).status, 200);
});

test('codes of a native client live on while its loopback registration does', async (t) => {
  const portless = 'http://127.0.0.1/cb';
  const redirectUris = [portless, 'http://127.0.0.1:9/fixed'];
  const client = await api.seed.client({ product, kind: 'native', redirectUris });
  const codeFor = async (redirectUri: string) => {
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const given = { code_challenge: challenge, code_challenge_method: 'S256' };
    return newCode(browser, { ...client, redirectUri }, given);
  };
  const status = async (redirectUri: string, code: string) => {
    const fields = {
      grant_type: 'authorization_code',
      client_id: client.clientId,
      redirect_uri: redirectUri,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      code,
    };
    return (await postToken(api, { fields })).status;
  };
  const [onPort, onFixed] = ['http://127.0.0.1:51000/cb', 'http://127.0.0.1:9/fixed'];
  const codes = { onPort: await codeFor(onPort!), onFixed: await codeFor(onFixed!) };
  t.is((await edit(client, portless)).status, 303);
  t.is(await status(onFixed!, codes.onFixed), 400);
  t.is(await status(onPort!, codes.onPort), 200);
});

test('a consent that is given meanwhile leaves no code for a removed redirect URI', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const client = await api.seed.client({ product, redirectUris: [OLD, NEW] });
    const [answer] = await Promise.all([decide(browser, authorizePath(client)), edit(client, NEW)]);
    if (answer.status !== 303) continue;
    const { code = '' } = parametersOf(answer);
    t.is((await exchange(api, { client, code })).status, 400, `round ${round}`);
  }
  t.pass();
});

test('two changes at once: one of the two lists stands', async (t) => {
  const client = await api.seed.client({ product });
  const lists = [`${OLD}\n${NEW}`, 'https://app.example/third'];
  for (let round = 0; round < 10; round += 1) {
    const both = await Promise.all(lists.map((list) => edit(client, list)));
    t.deepEqual(
      both.map(({ status }) => status),
      [303, 303],
    );
    t.true(lists.includes((await urisOf(client)).join('\n')));
  }
});

test('only the owner changes redirect URIs: everybody else gets 404', async (t) => {
  const client = await api.seed.client({ product });
  const stranger = api.browser();
  await stranger.signIn(await api.seed.person({ isBuilder: true }));
  t.is((await edit(client, NEW, stranger)).status, 404);
  const foreign = await api.seed.client({ product: await api.seed.product() });
  t.is((await edit(foreign, NEW)).status, 404);
  t.is((await edit({ clientId: 'gcl_unknown' }, NEW)).status, 404);
  await api.test.query('update oauth_client set deleted_at = now() where id = $1', [
    client.clientId,
  ]);
  t.is((await edit(client, NEW)).status, 404);
  t.deepEqual([...(await urisOf(client)), ...(await urisOf(foreign))], [OLD, OLD]);
});

// What a builder may do with clients before the verification.
type Browser = ReturnType<typeof api.browser>;
type Form = Partial<typeof FORM>;

const FORM = { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' };

const create = (form: Form, by: Browser, to: string) =>
  by.submit('/', { action: to, fields: { ...FORM, ...form } });
const change = (clientId: string, action: string, by: Browser, to: string) =>
  by.submit('/', { action: `${to}/${clientId}`, fields: { action } });

/** What the page shows once. */
function readFresh(page: string) {
  const [, clientId = '', secret = ''] =
    /data-fresh="(gcl_\w+)"[\s\S]*?<code[^>]*>(gcs_\w+)<\/code>/.exec(page) ?? [];
  return { clientId, secret };
}

/** Whether the secret proves the client: what is wrong then is the grant. */
async function isSecretRight({ clientId, secret }: { clientId: string; secret: string }) {
  const response = await postToken(api, {
    headers: { authorization: basic(clientId, secret) },
    fields: { grant_type: 'authorization_code', code: 'gac_x' },
  });
  return ((await response.json()) as { error: string }).error === 'invalid_grant';
}

test.serial(
  'before verification only clients on loopback addresses are made and changed',
  async (t) => {
    const registrant = await api.seed.person();
    const own = await api.seed.product({ owner: registrant });
    const visitor = api.browser();
    await visitor.signIn(registrant);
    const to = `/console/products/${own.slug}/clients`;
    const page = await (await visitor.get(to)).text();
    t.regex(page, /data-trial/);
    t.regex(page, /once you are a verified maker\.\s*<a href="\/console\/verification">/);
    for (const uri of [
      'https://app.example/cb',
      'com.example.app:/cb',
      'http://localhost.example/',
    ]) {
      const uris = `http://localhost:5173/cb\n${uri}`;
      const refused = await create({ kind: 'native', redirect_uris: uris }, visitor, to);
      t.is(refused.status, 422, uri);
    }
    const loopback = 'http://localhost:5173/cb\nhttp://127.0.0.1/cb\nhttp://[::1]:8080/cb';
    const made = readFresh(
      await (await visitor.follow(await create({ redirect_uris: loopback }, visitor, to))).text(),
    );
    t.true(await isSecretRight(made));
    t.is((await change(made.clientId, 'rotate', visitor, to)).status, 303);
    const save = (clientId: string, uris: string) =>
      visitor.submit('/', {
        action: `${to}/${clientId}/redirect-uris`,
        fields: { redirect_uris: uris },
      });
    t.is((await save(made.clientId, 'https://app.example/cb')).status, 422);
    t.is((await save(made.clientId, 'http://localhost:3000/')).status, 303);

    const live = await api.seed.client({ product: own, redirectUris: ['https://app.example/cb'] });
    for (const action of ['rotate', 'disable', 'enable', 'send_iss', 'delete']) {
      const answer = await change(live.clientId, action, visitor, to);
      t.is(answer.status, 422, action);
      t.regex(await answer.text(), /other clients once you are a verified maker/);
    }
    t.is((await save(live.clientId, 'http://localhost:3000/')).status, 422);
    const shown = await (await visitor.get(to)).text();
    t.false(shown.includes(`action="${to}/${live.clientId}"`));
    t.true(shown.includes(`action="${to}/${made.clientId}"`));
    const rows = await api.test.query(
      `select uri, disabled_at, deleted_at, sends_iss from oauth_client
     join redirect_uri on client_id = id where product_id = $1 order by uri`,
      [own.id],
    );
    const untouched = { disabled_at: null, deleted_at: null };
    t.like(rows, [
      { uri: 'http://localhost:3000/', ...untouched },
      { uri: 'https://app.example/cb', ...untouched },
    ]);
  },
);

test.serial('without a confirmed address nothing is open', async (t) => {
  const registrant = await api.seed.person({ isEmailVerified: false });
  const own = await api.seed.product({ owner: registrant });
  const visitor = api.browser();
  await visitor.signIn(registrant);
  const to = `/console/products/${own.slug}/clients`;
  t.is((await create({ redirect_uris: 'http://localhost/' }, visitor, to)).status, 422);
  t.false((await (await visitor.get(to)).text()).includes('Create client'));
});

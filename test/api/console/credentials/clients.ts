import test from 'ava';
import { basic, postToken, readProfile } from '../../../support/identity/oauth.ts';
import { api, owner, browser, product, comeBack } from './scene.ts';

const HOUR_MS = 3_600_000;

const path = `/console/products/${product.slug}/clients`;
const FORM = { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' };

type Form = Partial<typeof FORM>;

const create = (form: Form = {}, by = browser, to = path) =>
  by.submit('/', { action: to, fields: { ...FORM, ...form } });
const change = (clientId: string, action: string, by = browser, to = path) =>
  by.submit('/', { action: `${to}/${clientId}`, fields: { action } });

/** The text of the page that a form leads to. */
const shownBy = async (response: Response) => (await browser.follow(response)).text();

/** What the page shows once. */
function readFresh(page: string) {
  const [, clientId = '', secret = ''] =
    /data-fresh="(gcl_\w+)"[\s\S]*?>(gcs_\w+)</.exec(page) ?? [];
  return { clientId, secret };
}

async function newClient(form: Form = {}) {
  return readFresh(await shownBy(await create(form)));
}

/** Whether the secret proves the client: what is wrong then is the grant. */
async function isSecretRight({ clientId, secret }: { clientId: string; secret: string }) {
  const response = await postToken(api, {
    headers: { authorization: basic(clientId, secret) },
    fields: { grant_type: 'authorization_code', code: 'gac_x' },
  });
  return ((await response.json()) as { error: string }).error === 'invalid_grant';
}

test.serial('a builder registers a client: the secret is shown once and works', async (t) => {
  t.regex(await (await browser.get(path)).text(), /No clients yet/);
  t.true(
    (await (await browser.get(`/console/products/${product.slug}`)).text()).includes(
      `href="${path}"`,
    ),
  );
  const response = await create({
    name: '<b>Web</b>',
    redirect_uris:
      ' https://app.example/cb\r\n\r\nhttps://app.example/cb?x=1\r\nhttps://app.example/cb',
  });
  t.is(response.status, 303);
  const fresh = readFresh(await shownBy(response));
  t.regex(fresh.clientId, /^gcl_[0-9A-Za-z]{22}$/);
  t.true(await isSecretRight(fresh));
  const page = await (await browser.get(path)).text();
  t.false(page.includes(fresh.secret));
  t.true(page.includes(`gcs_...${fresh.secret.slice(-4)}`));
  t.true(page.includes('https://app.example/cb?x=1') && page.includes('&lt;b&gt;Web'));
  t.is([...page.matchAll(/<code>https:\/\/app\.example\/cb<\/code>/g)].length, 1);
});

test.serial('public and native clients have no secret', async (t) => {
  const made = [
    { kind: 'public', name: 'Spa', redirect_uris: 'http://localhost:5173/cb' },
    { kind: 'native', name: 'Desk', redirect_uris: 'http://127.0.0.1/cb\ncom.example.app:/cb' },
  ];
  for (const form of made) {
    const response = await create(form);
    t.is(response.status, 303);
    t.is(response.headers.get('location'), path);
  }
  const page = await (await browser.get(path)).text();
  t.true(page.includes('Spa') && page.includes('com.example.app:/cb'));
});

test.serial(
  'the form says which loopback address a native app registers, and what a port means',
  async (t) => {
    const { clientId } = await api.seed.client({ product, kind: 'native', name: 'Port' });
    const page = await (await browser.get(path)).text();
    const sentence =
      /http:\/\/127\.0\.0\.1\/cb<[\s\S]*?every port[\s\S]*?127\.0\.0\.1:8765\/cb<[\s\S]*?only that port works/;
    t.regex(/id="new-client"[\s\S]*/.exec(page)![0], sentence);
    const own = new RegExp(`data-client="${clientId}"[\\s\\S]*?</section>`);
    t.regex(own.exec(page)![0], sentence);
    await change(clientId, 'delete');
  },
);

const REFUSED: [string, Form, RegExp][] = [
  ['no name', { name: '  ' }, /id="name-problem"[^>]*>\s*Enter a name/],
  ['a long name', { name: 'x'.repeat(81) }, /Use at most 80 characters/],
  ['a name that turns the text around', { name: 'a\u202eb' }, /t be shown/],
  ['an unknown kind', { kind: 'secretive' }, /id="kind-problem"/],
  ['no redirect URI', { redirect_uris: ' \n ' }, /Enter at least one redirect URI/],
  [
    '21 redirect URIs',
    { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join('\n') },
    /Enter at most 20/,
  ],
  ['A4 a relative URI', { redirect_uris: '/cb' }, /is not an absolute URI/],
  ['A4 a fragment', { redirect_uris: 'https://app.example/cb#x' }, /has a fragment/],
  ['A4 plain http outside loopback', { redirect_uris: 'http://app.example/cb' }, /must be https/],
  ['A4 javascript:', { redirect_uris: 'javascript:alert(1)' }, /must be https/],
  ['A4 data:', { redirect_uris: 'data:text/html,x' }, /must be https/],
  [
    'a scheme of its own for a web client',
    { redirect_uris: 'com.example.app:/cb' },
    /must be https/,
  ],
  ['user information', { redirect_uris: 'https://me@app.example/cb' }, /user name or password/],
  [
    'localhost for a native client',
    { kind: 'native', redirect_uris: 'http://localhost:8765/cb' },
    /<code class="id">http:\/\/localhost:8765\/cb<\/code>\s*is on localhost, [^<]*: enter http:\/\/127\.0\.0\.1 /,
  ],
  [
    'one bad line among good ones',
    { redirect_uris: 'https://app.example/cb\nnonsense' },
    /<code class="id">nonsense<\/code>\s*is not an absolute URI/,
  ],
];

for (const [title, form, expected] of REFUSED) {
  test.serial(`${title}: refused in place, with what was typed`, async (t) => {
    const count = async () => (await api.test.query('select 1 from oauth_client')).length;
    const before = await count();
    const response = await create(form);
    const page = await response.text();
    t.is(response.status, 422);
    t.regex(page, expected);
    t.regex(page, /aria-invalid="true"/);
    if (form.redirect_uris === undefined)
      t.true(page.includes('https://app.example/cb</textarea>'));
    t.is(await count(), before);
  });
}

test.serial('a replaced secret keeps working for 48 hours, and two live at most', async (t) => {
  const first = await newClient();
  const rotate = () => change(first.clientId, 'rotate');
  const second = readFresh(await shownBy(await rotate()));
  t.is(second.clientId, first.clientId);
  t.true((await isSecretRight(first)) && (await isSecretRight(second)));
  const refused = await rotate();
  t.is(refused.status, 422);
  t.regex(await refused.text(), /already has two working secrets/);
  await api.test.advance(48 * HOUR_MS - 60_000);
  t.true(await isSecretRight(first));
  await comeBack(120_000);
  t.false(await isSecretRight(first));
  t.true(await isSecretRight(second));
  t.is((await rotate()).status, 303);
});

test.serial('a disabled client is dead until it is enabled; a deleted one is gone', async (t) => {
  const fresh = await newClient();
  const { token } = await api.seed.token({ product, clientId: fresh.clientId });
  const status = async () => (await readProfile(api, token)).status;
  t.is((await change(fresh.clientId, 'disable')).status, 303);
  t.is(await status(), 401);
  t.false(await isSecretRight(fresh));
  t.is((await change(fresh.clientId, 'enable')).status, 303);
  t.is(await status(), 200);
  t.is((await change(fresh.clientId, 'delete')).status, 303);
  t.is(await status(), 404);
  t.false((await (await browser.get(path)).text()).includes(fresh.clientId));
  for (const action of ['enable', 'rotate', 'delete']) {
    t.is((await change(fresh.clientId, action)).status, 404);
  }
});

test.serial('iss is switched on and off', async (t) => {
  const { clientId } = await newClient();
  const sends = async () =>
    (
      await api.test.query<{ on: boolean }>(
        'select sends_iss as on from oauth_client where id = $1',
        [clientId],
      )
    )[0]!.on;
  await change(clientId, 'send_iss');
  t.true(await sends());
  await change(clientId, 'omit_iss');
  t.false(await sends());
});

test.serial(
  'only the owner reaches the clients of a product: everybody else gets 404',
  async (t) => {
    const fresh = await newClient();
    const stranger = api.browser();
    const theirs = await api.seed.product({ owner: await api.seed.person({ isBuilder: true }) });
    await stranger.signIn(await api.seed.person({ isBuilder: true }));
    t.is((await stranger.get(path)).status, 404);
    t.is((await create({}, stranger)).status, 404);
    t.is((await change(fresh.clientId, 'delete', stranger)).status, 404);
    const foreign = await api.seed.client({ product: theirs });
    t.is((await change(foreign.clientId, 'rotate')).status, 404);
    t.is((await change(foreign.clientId, 'disable')).status, 404);
    t.is((await browser.get(`/console/products/${theirs.slug}/clients`)).status, 404);
    t.is((await browser.get('/console/products/no-such-product/clients')).status, 404);
    t.is((await api.request(path)).headers.get('location'), '/sign-in');
    t.true(await isSecretRight(fresh));
  },
);

test.serial('forms without their token, with another action or a NUL are refused', async (t) => {
  const { clientId } = await newClient();
  t.is((await browser.submit('/', { action: path, fields: { ...FORM, csrf: 'x' } })).status, 403);
  t.is((await change(clientId, 'explode')).status, 400);
  t.is((await change('%00', 'delete')).status, 400);
  t.is((await create({ name: 'a\0b' })).status, 400);
});

for (const delivery of ['external_store', 'affiliate'] as const) {
  test.serial(`a product with delivery ${delivery} is refused with that reason`, async (t) => {
    const own = await api.seed.product({ owner, delivery });
    const response = await create({}, browser, `/console/products/${own.slug}/clients`);
    t.is(response.status, 422);
    t.regex(await response.text(), /sold elsewhere/);
    t.is(
      (await api.test.query('select 1 from oauth_client where product_id = $1', [own.id])).length,
      0,
    );
  });
}

test.serial('a product may have 20 clients', async (t) => {
  const own = await api.seed.product({ owner });
  const to = `/console/products/${own.slug}/clients`;
  for (let n = 0; n < 19; n += 1) await api.seed.client({ product: own });
  const answers = await Promise.all([create({}, browser, to), create({}, browser, to)]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

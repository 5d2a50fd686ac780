// Codes, secrets, leases, owners and time: each is decided by the database.
import test from 'ava';
import { ROUTES } from '../../api/routes.ts';
import { createDeliveryRows } from '../support/delivery-rows.ts';
import { readSecrets, startEndpoints } from '../support/endpoints.ts';
import { basic, exchange, newCode, newProof, postToken, readProfile } from '../support/oauth.ts';
import { isSignedBy, startReceiver } from '../support/receiver.ts';
import { ownAll } from '../support/owned.ts';
import { startTokenScene } from '../support/token-scene.ts';

const endpoints = await startEndpoints({ limits: { pages: 10_000, settings: 10_000 } });
const { api, browser, press, newProduct } = endpoints;
const scene = await startTokenScene();
test.after.always(() => Promise.all([api.close(), scene.api.close()]));

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const statusesOf = (responses: Response[]) => responses.map(({ status }) => status).toSorted();
const fourTimes = (send: () => Promise<Response>) => Promise.all([send(), send(), send(), send()]);

test.serial('a code works once, for its own client, redirect URI and verifier', async (t) => {
  const { client, product, newProven } = scene;
  const { code, verifier } = await newProven();
  const fields = { code_verifier: verifier };
  const stranger = await scene.api.seed.client({ product });
  const wrong = [
    { client: stranger, fields },
    { client: { ...client, redirectUri: 'https://app.example/other' }, fields },
    { client, fields: { code_verifier: newProof().verifier } },
    { client, fields: {} },
  ];
  for (const each of wrong) {
    const refused = await exchange(scene.api, { code, ...each });
    t.is(refused.status, 400);
    t.like(await refused.json(), { error: 'invalid_grant' });
  }
  const responses = await fourTimes(() => exchange(scene.api, { client, code, fields }));
  t.deepEqual(statusesOf(responses), [200, 400, 400, 400]);
  t.is((await exchange(scene.api, { client, code, fields })).status, 400);
});

test.serial(
  'of four withdrawals of a grant at once one succeeds: a write of zero rows is refused',
  async (t) => {
    const product = await newProduct();
    const { id: personId } = await api.seed.person();
    const source = `grant_${'1'.repeat(26)}`;
    const access = { productId: product.id, personId };
    await api.seed.grant(access, { type: 'complimentary', source });
    const action = `/console/products/${product.slug}/grants/${source}`;
    const responses = await fourTimes(() => press(action, { action: 'withdraw' }));
    t.deepEqual(statusesOf(responses), [303, 404, 404, 404]);
    const trail = await endpoints.auditOf(product.id);
    t.is(trail.filter((row) => row.action === 'grant.withdrawn').length, 1);
  },
);

test.serial('a rotated client secret works for 48 hours beside the new one', async (t) => {
  const product = await newProduct();
  const client = await api.seed.client({ product });
  const action = `/console/products/${product.slug}/clients/${client.clientId}`;
  const page = await (await press(action, { action: 'rotate' })).text();
  const [secret = ''] = /gcs_\w{20,}/.exec(page) ?? [];
  const isRight = async (clientSecret: string) => {
    const authorization = basic(client.clientId, clientSecret);
    const fields = { grant_type: 'authorization_code', code: 'gac_x' };
    const { error } = (await (
      await postToken(api, { headers: { authorization }, fields })
    ).json()) as { error: string };
    return error === 'invalid_grant';
  };
  t.not(secret, client.secret);
  t.deepEqual([await isRight(client.secret), await isRight(secret)], [true, true]);
  await api.test.advance(48 * HOUR_MS - MINUTE_MS);
  t.deepEqual([await isRight(client.secret), await isRight(secret)], [true, true]);
  await api.test.advance(2 * MINUTE_MS);
  t.deepEqual([await isRight(client.secret), await isRight(secret)], [false, true]);
  await endpoints.signInAgain();
});

test.serial(
  'one of several dispatchers claims each delivery, and during a rotation both secrets sign it',
  async (t) => {
    const receiver = await startReceiver();
    const product = await newProduct();
    const made = await endpoints.add(product.path, { url: receiver.url });
    const shown = await (await browser.get(made.path)).text();
    const [, replaces = ''] = /name="replaces" value="(\w+)"/.exec(shown) ?? [];
    const rotated = await press(`${made.path}/rotate`, { replaces, window_days: '1' });
    const { secret } = readSecrets(await rotated.text());
    const deliveries = createDeliveryRows(api.test);
    const pending = { productId: product.id, endpointId: made.endpointId, dueInMinutes: 0 };
    const many = 40;
    for (let n = 0; n < many; n += 1) await deliveries.delivery({ ...pending, status: 'pending' });
    const dispatchers = [1, 2, 3].map(() => endpoints.startSending());
    t.teardown(() => receiver.close());
    try {
      await endpoints.untilSent(made.endpointId, many);
    } finally {
      await Promise.all(dispatchers.map((each) => each.stop()));
    }
    t.is(receiver.hits.length, many);
    t.is(new Set(receiver.hits.map(({ rawBody }) => rawBody.toString())).size, many);
    for (const { rawBody, headers } of receiver.hits) {
      const [now, before] = [headers['service-signature'], headers['service-signature-previous']];
      t.true(isSignedBy(secret, { rawBody, signature: now?.toString() }));
      t.true(isSignedBy(made.secret, { rawBody, signature: before?.toString() }));
    }
  },
);

const ENDPOINT = { url: 'https://example.com/other', events: 'purchase.completed' };
const REFUND = { amount: '1.00', reason: 'duplicate', refund: 're_5'.padEnd(29, '1') };

/** Every console route with the id of something that belongs to a product or a team, and a valid form. */
const NAMING: Record<string, Record<string, string> | null> = {
  'POST /products/:ref/clients/:client': { action: 'send_iss' },
  'POST /products/:ref/clients/:client/redirect-uris': { redirect_uris: 'https://a.example/x' },
  'POST /products/:ref/keys/:key': { action: 'rotate' },
  'GET /products/:ref/endpoints/:endpoint': null,
  'POST /products/:ref/endpoints/:endpoint': ENDPOINT,
  'POST /products/:ref/endpoints/:endpoint/state': { action: 'disable' },
  'POST /products/:ref/endpoints/:endpoint/test': {},
  'POST /products/:ref/endpoints/:endpoint/secret': {},
  'POST /products/:ref/endpoints/:endpoint/rotate': { replaces: 'x', window_days: '1' },
  'GET /products/:ref/deliveries/:delivery': null,
  'POST /products/:ref/deliveries/:delivery/retry': {},
  'GET /products/:ref/recoveries/:recovery': null,
  'GET /products/:ref/purchases/:purchase': null,
  'GET /products/:ref/purchases/:purchase/refund': null,
  'POST /products/:ref/purchases/:purchase/refund': { ...REFUND, payment: ':payment' },
  'POST /products/:ref/grants/:grant': { action: 'withdraw' },
  'POST /teams/:team/members/:person': { role: 'developer' },
  'GET /teams/:team/members/:person/remove': null,
  'POST /teams/:team/members/:person/remove': {},
  'GET /teams/:team/members/:person/owner': null,
  'POST /teams/:team/members/:person/owner': { afterwards: 'stay' },
  'POST /teams/:team/invitations/:invitation/withdraw': {},
};

/** Months and currencies are no ids: every product has them. */
const OWNERLESS: typeof NAMING = {
  'POST /products/:ref/prices/:currency': { action: 'base' },
  'GET /products/:ref/statements/:month': null,
  'GET /products/:ref/statements/:month/entries.csv': null,
};

const SECOND_ID = /^\/console(\/(?:products|teams)\/:\w+\/.*:.*)$/;

test('this test knows every console route with a second parameter', (t) => {
  const naming = ROUTES.flatMap(({ method, path }) => {
    const [, rest] = SECOND_ID.exec(path) ?? [];
    return rest === undefined ? [] : [`${method} ${rest}`];
  });
  const known = [...Object.keys(NAMING), ...Object.keys(OWNERLESS)];
  t.deepEqual(naming.toSorted(), known.toSorted());
});

const fill = (text: string, values: Record<string, string>) =>
  text.replaceAll(/:([a-z]+)/g, (whole, name: string) => values[name] ?? whole);

function request(route: string, values: Record<string, string>, by = browser) {
  const [method, path = ''] = fill(route, values).split(' ');
  const form = Object.entries({ ...NAMING, ...OWNERLESS }[route] ?? {});
  const fields = Object.fromEntries(form.map(([name, value]) => [name, fill(value, values)]));
  return method === 'GET' ? by.get(`/console${path}`) : press(`/console${path}`, fields, by);
}

/** These two show their page instead, and change nothing. */
const UNDER_OWN: Record<string, number> = {
  'POST /products/:ref/keys/:key': 422,
  'POST /products/:ref/endpoints/:endpoint/state': 303,
};

const TABLES =
  'api_key client_secret oauth_client redirect_uri webhook_endpoint delivery_state access_grant refund price team_member team_invitation'.split(
    ' ',
  );

async function readAll() {
  const found: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    found[table] = await api.test.query(`select * from ${table} x order by x::text`);
  }
  return found;
}

test.serial(
  "an id of another owner is 404 under one's own product and under the other owner's",
  async (t) => {
    const stranger = await api.seed.person({ isBuilder: true });
    const [mine, theirs] = [await ownAll(api, endpoints.owner), await ownAll(api, stranger)];
    const strangers = api.browser();
    await strangers.signIn(stranger);
    const before = await readAll();
    const [ref, team] = [mine['ref']!, mine['team']!];
    const statuses = await Promise.all(
      Object.keys(NAMING).map(async (route) => [
        route,
        (await request(route, { ...theirs, ref, team })).status,
        (await request(route, theirs)).status,
      ]),
    );
    t.deepEqual(
      statuses,
      Object.keys(NAMING).map((route) => [route, UNDER_OWN[route] ?? 404, 404]),
    );
    for (const route of Object.keys(OWNERLESS))
      t.is((await request(route, theirs)).status, 404, route);
    const charged = { ...mine, payment: theirs['payment']! };
    t.is((await request('POST /products/:ref/purchases/:purchase/refund', charged)).status, 422);
    const recover = {
      endpoint: theirs['endpoint']!,
      event: '',
      status: 'both',
      since: new Date().toISOString().slice(0, 16),
      until: '',
    };
    t.is((await press(`/console/products/${ref}/recoveries`, recover)).status, 422);
    const listed = `/console/products/${ref}/deliveries?endpoint=${theirs['endpoint']}`;
    t.false((await (await browser.get(listed)).text()).includes(theirs['delivery']!));
    t.deepEqual(await readAll(), before);
    const routes = [...Object.keys(NAMING), ...Object.keys(OWNERLESS)].toSorted();
    for (const route of routes) t.not((await request(route, theirs, strangers)).status, 404, route);
  },
);

test.serial(
  "tokens, sessions and access end by the database's clock, never by the process's",
  async (t) => {
    const { api: at, client, product, person, browser: signedIn } = scene;
    const { access_token: token } = (await (
      await exchange(at, { client, code: await newCode(signedIn, client) })
    ).json()) as { access_token: string };
    const [row] = await at.test.query<{ now: Date }>('select gatehouse_now() as now');
    const endsAt = new Date(row!.now.getTime() + HOUR_MS);
    await at.seed.grant({ productId: product.id, personId: person.id }, { endsAt });
    const headers = { authorization: `Bearer ${product.liveKey}` };
    const isActive = async () => {
      const check = await at.request(`/api/v1/entitlements?user_id=${person.id}`, { headers });
      return ((await check.json()) as { active: boolean }).active;
    };
    const code = await newCode(signedIn, client);
    const readState = async () => ({
      token: (await readProfile(at, token)).status,
      session: (await signedIn.get('/library')).status,
      isActive: await isActive(),
    });
    t.deepEqual(await readState(), { token: 200, session: 200, isActive: true });
    await at.test.advance(HOUR_MS + MINUTE_MS);
    t.is((await exchange(at, { client, code })).status, 400);
    t.deepEqual(await readState(), { token: 200, session: 200, isActive: false });
    await at.test.advance(-HOUR_MS);
    t.true(await isActive());
    await at.test.advance(40 * DAY_MS);
    t.deepEqual(await readState(), { token: 401, session: 303, isActive: false });
    signedIn.cookies.clear();
    await signedIn.signIn(person);
    const later = await exchange(at, { client, code: await newCode(signedIn, client) });
    const { access_token: fresh } = (await later.json()) as { access_token: string };
    await at.test.advance(29 * DAY_MS);
    t.is((await readProfile(at, fresh)).status, 200, 'its 30 days began by that clock too');
    await at.test.advance(2 * DAY_MS);
    t.is((await readProfile(at, fresh)).status, 401);
  },
);

import test from 'ava';
import { recordAudit } from '../../domain/audit/audit.repository.ts';
import { createDeliveryRows } from '../support/webhooks/delivery-rows.ts';
import { startTeams } from '../support/identity/teams.ts';
import { noticeOf } from '../support/http/arrival.ts';

const teams = await startTeams();
const { api } = teams;
const team = await teams.team(['viewer', 'developer']);
const product = await teams.productOf(team, { state: 'unlisted' });
const { viewer, developer } = team.members;
const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
const URL_WITH_TOKEN = 'https://receiver.example/hook/tok_en_in_path?key=tok_en_in_query';
const seeded = { productId: product.id, url: URL_WITH_TOKEN };
const { id: endpointId } = await api.seed.endpoint(seeded);
const deliveries = createDeliveryRows(api.test);
const retrying = { productId: product.id, endpointId, status: 'retrying', step: 1 } as const;
const deliveryId = await deliveries.delivery(retrying);
await deliveries.attempt({ deliveryId, statusCode: 500, step: 0 });
test.after.always(() => api.close());

const PATH = `/console/products/${product.slug}`;
const read = async (by: typeof viewer, path: string) => (await by.browser.get(path)).text();

/** The pages that name an endpoint. */
const PAGES = [
  '',
  '/endpoints',
  `/endpoints/${endpointId}`,
  '/deliveries',
  `/deliveries/${deliveryId}`,
  '/recoveries',
  '/diagnostics',
  '/integrate',
];

test('a viewer learns no token from the address of an endpoint, the host alone', async (t) => {
  await api.test.query('update webhook_endpoint set failing_since = gatehouse_now()');
  for (const page of PAGES) {
    const shown = await read(viewer, PATH + page);
    t.false(shown.includes('tok_en_in'), page);
    t.true((await read(developer, PATH + page)).includes('tok_en_in_path'), page);
    // Viewers have no form that starts a recovery.
    if (page !== '/recoveries') t.true(shown.includes('receiver.example'), page);
  }
});

test("a viewer learns nobody's IP address from the audit trails", async (t) => {
  await recordAudit(api.database.em(), {
    by: { personId: developer.person.id, ip: '192.0.2.77' },
    action: 'client.created',
    subject: 'x',
    teamId: team.id,
    productId: product.id,
  });
  for (const path of [`${PATH}/audit`, `${team.path}/audit`]) {
    const shown = await read(viewer, path);
    t.true(shown.includes('client.created') && !shown.includes('192.0.2.77'), path);
    t.true((await read(developer, path)).includes('192.0.2.77'), path);
  }
});

test("no builder is led into Temporal, whose pages show everybody's workflows", async (t) => {
  const page = `${PATH}/deliveries/${deliveryId}`;
  t.false((await read(developer, page)).includes('/namespaces/'));
  t.true((await read(operator, page)).includes('/namespaces/'));
  for (const reader of [developer, operator]) {
    t.false(
      (await read(reader, PATH)).includes('/namespaces/'),
      'the overview leads to the delivery',
    );
  }
});

test('a page that is only opened changes nothing at a payout account', async (t) => {
  const { owner } = team.members;
  const connected = await owner.browser.submit(`${PATH}/selling`, {
    action: `${PATH}/selling/payouts`,
    fields: { action: 'connect' },
  });
  t.is(connected.status, 303);
  const trail = async () => (await teams.trailOf(team.id)).length;
  const before = await trail();
  const answer = await owner.browser.get(`${PATH}/selling/payouts`);
  t.is(noticeOf(answer), 'payouts_returned');
  t.is(await trail(), before);
});

test('no page may use the camera, the microphone or the place of its reader', async (t) => {
  for (const path of ['/', '/sign-in', '/nowhere']) {
    const policy = (await api.request(path)).headers.get('permissions-policy')!;
    for (const feature of ['camera', 'microphone', 'geolocation']) {
      t.true(policy.includes(`${feature}=()`), `${path} ${feature}`);
    }
    t.true(policy.includes('publickey-credentials-get=(self)'), path);
  }
});

test('a browser that somebody signed out of keeps none of their pages', async (t) => {
  for (const [page, action] of [
    ['/settings/security', '/sign-out'],
    ['/settings/security', '/settings/security/sign-out-everywhere'],
  ] as const) {
    const { browser } = await teams.signedIn();
    const answer = await browser.submit(page, { action });
    t.is(answer.status, 303, action);
    t.is(answer.headers.get('clear-site-data'), '"cache", "storage"', action);
  }
});

test('a page that only names our host in its requests submits no form of ours', async (t) => {
  const secure = await teams.signedIn();
  const submit = (origin: string, host?: string) =>
    secure.browser.submit('/settings/profile', {
      action: '/settings/profile',
      fields: { handle: `h_${origin.length}`, display_name: 'Somebody' },
      headers: { origin, ...(host === undefined ? {} : { host }) },
    });
  t.is((await submit('https://evil.example', 'evil.example')).status, 403);
  t.is((await submit('http://localhost:1')).status, 403);
  t.not((await submit(api.url)).status, 403);
});

type Member = Awaited<ReturnType<typeof teams.signedIn>>;

const mailsTo = async ({ person }: Member) =>
  (await teams.mailsTo(person.email)).map(({ purpose }) => purpose);

/** A team whose developer acts, its product, and a post to a page of that product. */
async function scene() {
  const team = await teams.team(['admin', 'developer', 'finance', 'viewer']);
  const product = await teams.productOf(team);
  const post = ({ browser }: Member, path: string, fields: Record<string, string>) =>
    browser.submit('/console', { action: `/console/products/${product.slug}${path}`, fields });
  const { members } = team;
  return { team, product, post, ...members };
}

test('owners learn of a key that somebody makes or replaces', async (t) => {
  const { product, post, owner, developer, admin } = await scene();
  t.is((await post(developer, '/keys', { name: 'Mine', mode: 'live' })).status, 303);
  t.deepEqual(await mailsTo(owner), ['key_made']);
  const [key] = await api.test.query<{ id: string }>(
    `select id from api_key where product_id = $1 and name = 'Mine'`,
    [product.id],
  );
  const rotate = () => post(developer, `/keys/${key!.id}`, { action: 'rotate' });
  t.is((await rotate()).status, 303);
  t.is((await rotate()).status, 422, 'a second click makes none');
  t.deepEqual(await mailsTo(owner), ['key_made', 'key_made']);
  t.deepEqual([await mailsTo(admin), await mailsTo(developer)], [[], []]);
});

test('owners learn of a client secret, operators of one of the platform', async (t) => {
  const { product, post, owner, developer } = await scene();
  const form = { name: 'App', redirect_uris: 'https://app.example/cb' };
  t.is((await post(developer, '/clients', { ...form, kind: 'confidential' })).status, 303);
  t.is((await post(developer, '/clients', { ...form, kind: 'public' })).status, 303);
  t.deepEqual(await mailsTo(owner), ['client_secret_made'], 'a public client has none');
  const [client] = await api.test.query<{ id: string }>(
    `select id from oauth_client where product_id = $1 and kind = 'confidential'`,
    [product.id],
  );
  await post(developer, `/clients/${client!.id}`, { action: 'rotate' });
  t.deepEqual(await mailsTo(owner), ['client_secret_made', 'client_secret_made']);
  const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
  const fields = { ...form, kind: 'confidential' };
  await operator.browser.submit('/operator', { action: '/operator/clients', fields });
  t.deepEqual(await mailsTo(operator), ['client_secret_made']);
});

test('owners learn of an endpoint secret that somebody has looked at', async (t) => {
  const { product, post, owner, developer } = await scene();
  const url = 'https://example.com/hook';
  const endpoint = await api.seed.endpoint({ productId: product.id, url });
  t.is((await post(developer, `/endpoints/${endpoint.id}/secret`, {})).status, 303);
  t.deepEqual(await mailsTo(owner), ['endpoint_secret_shown']);
});

test('owners learn of another owner', async (t) => {
  const { team, owner, admin } = await scene();
  const action = `${team.path}/members/${admin.person.id}/owner`;
  const fields = { afterwards: 'stay' };
  const made = await owner.browser.submit('/console', { action, fields });
  t.is(made.status, 303);
  t.deepEqual([await mailsTo(owner), await mailsTo(admin)], [['owner_added'], ['owner_added']]);
});

test('both sides learn of a product that is handed over', async (t) => {
  const { team, product, post, owner } = await scene();
  const other = await teams.team([]);
  const join = 'insert into team_member values ($1, $2, $3)';
  await api.test.query(join, [other.id, owner.person.id, 'owner']);
  t.is((await post(owner, '/transfer', { team: other.id })).status, 303);
  t.deepEqual(await mailsTo(owner), ['product_transferred'], 'once, although they own both');
  t.deepEqual(await mailsTo(other.members.owner), ['product_transferred']);
  const lone = await api.seed.product({ owner: owner.person });
  const action = `/console/products/${lone.slug}/transfer`;
  await owner.browser.submit('/console', { action, fields: { team: team.id } });
  t.deepEqual(await mailsTo(owner), ['product_transferred', 'product_transferred']);
  t.truthy(product);
});

test('owners learn of a payout account', async (t) => {
  const { post, owner, finance } = await scene();
  const connected = await post(finance, '/selling/payouts', { action: 'connect' });
  t.is(connected.status, 303);
  t.deepEqual(await mailsTo(owner), ['payouts_connected']);
  await post(finance, '/selling/payouts', { action: 'connect' });
  t.deepEqual(await mailsTo(owner), ['payouts_connected'], 'it is connected once');
});

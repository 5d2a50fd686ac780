// Every statement of the console carries the product or the owner.
import test from 'ava';
import { ROUTES } from '../../api/routes.ts';
import { startEndpoints } from '../support/webhooks/endpoints.ts';
import { ownAll } from '../support/http/owned.ts';

const endpoints = await startEndpoints({ limits: { pages: 10_000, settings: 10_000 } });
const { api, browser, press } = endpoints;
test.after.always(() => api.close());

const actions = (...names: string[]) => names.map((action) => ({ action }));

const ENDPOINT = { url: 'https://example.com/other', events: 'purchase.completed' };
const REFUND = { amount: '1.00', reason: 'duplicate', refund: 're_5'.padEnd(29, '1') };

/** Every console route with the id of something that belongs to a product or a team, and its forms. */
const NAMING: Record<string, Record<string, string>[]> = {
  'POST /products/:ref/clients/:client': actions(
    'send_iss',
    'rotate',
    'disable',
    'enable',
    'delete',
  ),
  'POST /products/:ref/clients/:client/redirect-uris': [{ redirect_uris: 'https://a.example/x' }],
  'POST /products/:ref/keys/:key': actions('rotate', 'revoke'),
  'GET /products/:ref/endpoints/:endpoint': [{}],
  'POST /products/:ref/endpoints/:endpoint': [ENDPOINT],
  'POST /products/:ref/endpoints/:endpoint/state': actions('disable', 'enable', 'delete'),
  'POST /products/:ref/endpoints/:endpoint/test': [{}],
  'POST /products/:ref/endpoints/:endpoint/secret': [{}],
  'POST /products/:ref/endpoints/:endpoint/rotate': [{ replaces: 'x', window_days: '1' }],
  'GET /products/:ref/deliveries/:delivery': [{}],
  'POST /products/:ref/deliveries/:delivery/retry': [{ run: '1' }],
  'POST /products/:ref/deliveries/:delivery/retry-now': [{ run: '1', step: '1' }],
  'GET /products/:ref/recoveries/:recovery': [{}],
  'GET /products/:ref/purchases/:purchase': [{}],
  'GET /products/:ref/purchases/:purchase/refund': [{}],
  'POST /products/:ref/purchases/:purchase/refund': [{ ...REFUND, payment: ':payment' }],
  'POST /products/:ref/grants/:grant': actions('withdraw'),
  'POST /products/:ref/releases/:release/remove': [{}],
  'GET /products/:ref/imports/:import': [{}],
  'POST /products/:ref/imports/:import/apply': [{ version: '0', take: 'name' }],
  'POST /teams/:team/members/:person': [{ role: 'developer' }],
  'GET /teams/:team/members/:person/remove': [{}],
  'POST /teams/:team/members/:person/remove': [{}],
  'GET /teams/:team/members/:person/owner': [{}],
  'POST /teams/:team/members/:person/owner': [{ afterwards: 'stay' }],
  'POST /teams/:team/invitations/:invitation/resend': [{}],
  'POST /teams/:team/invitations/:invitation/withdraw': [{}],
};

/** Months and currencies are no ids: every product has them. */
const OWNERLESS: typeof NAMING = {
  'POST /products/:ref/prices/:currency': actions('base', 'withdraw'),
  'GET /products/:ref/statements/:month': [{}],
  'GET /products/:ref/statements/:month/entries.csv': [{}],
  'GET /products/:ref/pool/:month': [{}],
  'GET /products/:ref/pool/:month/lines.csv': [{}],
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

type Values = Record<string, string>;

/** The statuses of a route, form by form. */
async function statusesAt(
  route: string,
  { forms, values, by = browser }: { forms: Values[]; values: Values; by?: typeof browser },
) {
  const [method, path = ''] = fill(route, values).split(' ');
  const statuses: number[] = [];
  for (const form of forms) {
    const pairs = Object.entries(form).map(([name, value]) => [name, fill(value, values)]);
    const send = () => press(`/console${path}`, Object.fromEntries(pairs), by);
    statuses.push((await (method === 'GET' ? by.get(`/console${path}`) : send())).status);
  }
  return statuses;
}

/** These show their page instead, and change nothing. */
const UNDER_OWN: Record<string, number[]> = {
  'POST /products/:ref/keys/:key': [422, 303],
  'POST /products/:ref/endpoints/:endpoint/state': [303],
  'POST /products/:ref/releases/:release/remove': [303],
};

/** The invitation has been sent again by then, which replaced it. */
const REPLACED = 'POST /teams/:team/invitations/:invitation/withdraw';

const TABLES =
  'api_key client_secret oauth_client redirect_uri webhook_endpoint delivery_state access_grant refund price team_member team_invitation release listing_import'.split(
    ' ',
  );

async function readAll() {
  const found: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    found[table] = await api.test.query(`select * from ${table} x order by x::text`);
  }
  return found;
}

test("an id of another owner is 404 under one's own product and under the other owner's", async (t) => {
  const stranger = await api.seed.person({ isBuilder: true });
  const [mine, theirs] = [await ownAll(api, endpoints.owner), await ownAll(api, stranger)];
  const strangers = api.browser();
  await strangers.signIn(stranger);
  const before = await readAll();
  const [ref, team] = [mine['ref']!, mine['team']!];
  for (const [route, forms] of Object.entries(NAMING)) {
    const statuses = await statusesAt(route, { forms, values: { ...theirs, ref, team } });
    t.deepEqual([...new Set(statuses)], UNDER_OWN[route] ?? [404], `${route} under one's own`);
  }
  const all = Object.entries({ ...NAMING, ...OWNERLESS }).toSorted();
  for (const [route, forms] of all) {
    const statuses = await statusesAt(route, { forms, values: theirs });
    t.deepEqual([...new Set(statuses)], [404], `${route} under theirs`);
  }
  const refund = 'POST /products/:ref/purchases/:purchase/refund';
  const charged = { ...mine, payment: theirs['payment']! };
  t.deepEqual(await statusesAt(refund, { forms: NAMING[refund]!, values: charged }), [422]);
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
  for (const [route, forms] of all) {
    const [first] = await statusesAt(route, {
      forms: forms.slice(0, 1),
      values: theirs,
      by: strangers,
    });
    t.is(first === 404, route === REPLACED, `${route} by its owner`);
  }
});

// What somebody with the cookie of another person does, an hour after that person signed in.
import test from 'ava';
import { newPublicId } from '../../domain/shared/ids.ts';
import { addPasskey, answerForm, confirmBy, makeStale } from '../support/identity/proving.ts';
import { createSales } from '../support/purchases/sales.ts';
import { startTeams } from '../support/identity/teams.ts';
import { noticeOf } from '../support/http/arrival.ts';

const limits = { account_failures: 5, address_failures: 10_000 };
const teams = await startTeams({ host: 'localhost', limits });
const { api } = teams;
const { paidSale, fenceFor, orderOf, paymentOf } = createSales({
  testDatabase: api.test,
  database: api.database,
});
test.after.always(() => api.close());

type Someone = Awaited<ReturnType<typeof teams.signedIn>>;

/** A verified builder with a product, and a copy of their cookie in another browser. */
async function stolen() {
  const owner = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const product = await api.seed.product({ owner: owner.person, prices: { USD: 1_900 } });
  const thief = api.browser();
  thief.cookies.set('gatehouse_session', owner.browser.cookies.get('gatehouse_session')!);
  await makeStale(api, owner.person);
  return { ...owner, thief, product, path: `/console/products/${product.slug}` };
}

const post = (
  browser: Someone['browser'],
  action: string,
  fields: Record<string, string | string[]> = {},
) => browser.submit('/', { action, fields });

const count = async (sql: string, id: string) =>
  (await api.test.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [id]))[0]!.n;

async function newSale({ product, path }: Awaited<ReturnType<typeof stolen>>) {
  const sale = await paidSale(await orderOf(product, api.seed));
  const payment = String((await paymentOf(sale))['id']);
  const refund = newPublicId('re_');
  const fields = { amount: '19.00', reason: 'requested_by_customer', refund, payment };
  const intents = async () => (await fenceFor(sale)).intents.length;
  return { action: `${path}/purchases/${sale.purchaseId}/refund`, fields, intents };
}

test('a session that was stolen an hour ago refunds nothing', async (t) => {
  const one = await stolen();
  const { action, fields, intents } = await newSale(one);
  const answer = await post(one.thief, action, fields);
  t.is(answer.status, 403);
  const page = await answer.text();
  t.regex(page, /Confirm it&#39;s you/);
  const typed = { proof_password: 'a guess of somebody' };
  t.is((await answerForm(one.thief, { page, action, typed })).status, 422);
  t.is(await intents(), 0);
});

test('the owner confirms with the password, and the form does what it was to do', async (t) => {
  const one = await stolen();
  const { action, fields, intents } = await newSale(one);
  const page = await (await post(one.browser, action, fields)).text();
  const typed = { proof_password: one.person.password };
  const done = await answerForm(one.browser, { page, action, typed });
  t.is(done.status, 303);
  t.is(noticeOf(done), 'refund_requested');
  t.is(await intents(), 1);
  const another = await newSale(one);
  t.is((await post(one.browser, another.action, another.fields)).status, 303, 'not asked twice');
});

test.serial('a stolen session does not become fresh when its owner confirms', async (t) => {
  const one = await stolen();
  const { action, fields } = await newSale(one);
  const page = await (await post(one.browser, action, fields)).text();
  await answerForm(one.browser, { page, action, typed: { proof_password: one.person.password } });
  const another = await newSale(one);
  t.is((await post(one.thief, another.action, another.fields)).status, 403);
  await api.test.advance(11_000);
  t.is((await one.thief.get('/console')).status, 303, 'it is over');
  t.is((await one.browser.get('/console')).status, 200);
});

test.serial('whoever confirms stays signed in where the form is refused after that', async (t) => {
  const one = await stolen();
  const action = `${one.path}/purchases/${newPublicId('pay_')}/refund`;
  const reason = 'requested_by_customer';
  const ids = { refund: newPublicId('re_'), payment: newPublicId('ch_') };
  const page = await (await post(one.browser, action, { amount: '19.00', reason, ...ids })).text();
  const typed = { proof_password: one.person.password };
  t.is((await answerForm(one.browser, { page, action, typed })).status, 404);
  await api.test.advance(11_000);
  t.is((await one.browser.get('/console')).status, 200);
});

test('confirming makes no session longer than thirty days', async (t) => {
  const one = await stolen();
  const { action, fields } = await newSale(one);
  const page = await (await post(one.browser, action, fields)).text();
  await answerForm(one.browser, { page, action, typed: { proof_password: one.person.password } });
  const rows = await api.test.query<{ days: number }>(
    `select extract(epoch from max(expires_at - created_at)) / 86400 as days
     from session where person_id = $1`,
    [one.person.id],
  );
  t.is(Number(rows[0]!.days), 30);
});

test('nobody guesses the password at this form more often than at the sign-in', async (t) => {
  const one = await stolen();
  const { action, fields } = await newSale(one);
  const guess = (proof_password: string) => post(one.thief, action, { ...fields, proof_password });
  for (let n = 0; n < 5; n += 1) t.is((await guess(`guess ${n}`)).status, 422);
  t.is((await guess(one.person.password)).status, 429);
});

test('a passkey confirms too, and only one of the signed-in person', async (t) => {
  const one = await stolen();
  await api.test.query('update session set authenticated_at = now() where person_id = $1', [
    one.person.id,
  ]);
  const authenticator = await addPasskey(api, one);
  const other = await teams.signedIn();
  const foreign = await addPasskey(api, other);
  await makeStale(api, one.person);
  const { action, fields, intents } = await newSale(one);
  const page = await (await post(one.browser, action, fields)).text();
  t.regex(page, /data-passkey="get"/);
  const wrong = await confirmBy(api, { browser: one.browser, authenticator: foreign });
  t.is((await post(one.browser, action, { ...fields, response: wrong })).status, 422);
  t.is((await post(one.browser, action, { ...fields, response: 'nonsense' })).status, 422);
  t.is(await intents(), 0);
  const right = await confirmBy(api, { browser: one.browser, authenticator });
  t.is((await post(one.browser, action, { ...fields, response: right })).status, 303);
  t.is(await intents(), 1);
});

test('a session that was stolen an hour ago is shown no secret and makes no key', async (t) => {
  const one = await stolen();
  const { id } = await api.seed.endpoint({ productId: one.product.id, url: 'https://a.example/' });
  const attempts: [string, Record<string, string | string[]>][] = [
    [`${one.path}/keys`, { name: 'Mine', mode: 'live' }],
    [
      `${one.path}/clients`,
      { kind: 'confidential', name: 'Mine', redirect_uris: 'https://a.example/' },
    ],
    [`${one.path}/endpoints/${id}/secret`, {}],
    [`${one.path}/endpoints/${id}/rotate`, { replaces: '', window_days: '1' }],
    [`${one.path}/endpoints`, { url: 'https://a.example/x', events: ['purchase.completed'] }],
    [`${one.path}/selling/payouts`, { action: 'connect' }],
  ];
  for (const [action, fields] of attempts) {
    const answer = await post(one.thief, action, fields);
    t.is(answer.status, 403, action);
    t.notRegex(await answer.text(), /whsec_|gk_live_|gcs_/);
  }
  t.is(await count('api_key where product_id = $1', one.product.id), 2);
  t.is(await count('webhook_endpoint where product_id = $1', one.product.id), 1);
  t.is(await count('oauth_client where product_id = $1', one.product.id), 0);
});

test('a session that was stolen an hour ago leads no codes and no webhooks elsewhere', async (t) => {
  const one = await stolen();
  const redirectUris = ['https://a.example/'];
  const { clientId } = await api.seed.client({ product: one.product, redirectUris });
  const url = 'https://a.example/';
  const { id } = await api.seed.endpoint({ productId: one.product.id, url });
  const elsewhere = 'https://thief.example/';
  const attempts: [string, Record<string, string>][] = [
    [`${one.path}/clients/${clientId}/redirect-uris`, { redirect_uris: elsewhere }],
    [`${one.path}/endpoints/${id}`, { url: elsewhere, events: 'purchase.completed' }],
  ];
  for (const [action, fields] of attempts) {
    t.is((await post(one.thief, action, fields)).status, 403, action);
  }
  t.is(await count(`webhook_endpoint where product_id = $1 and url = '${url}'`, one.product.id), 1);
  const sql = 'select uri from redirect_uri where client_id = $1';
  t.deepEqual(await api.test.query(sql, [clientId]), [{ uri: redirectUris[0] }]);
});

test('what was typed is still there after the proof', async (t) => {
  const one = await stolen();
  const action = `${one.path}/endpoints`;
  const events = ['purchase.completed', 'entitlement.created'];
  const url = 'https://a.example/x?a=1&b="2"';
  const page = await (await post(one.browser, action, { url, events })).text();
  t.false(page.includes('"2"'), 'and it is escaped');
  const typed = { proof_password: one.person.password };
  t.is((await answerForm(one.browser, { page, action, typed })).status, 303);
  const [made] = await api.test.query<{ url: string; events: string[] }>(
    'select url, events from webhook_endpoint where product_id = $1',
    [one.product.id],
  );
  t.is(made!.url, 'https://a.example/x?a=1&b=%222%22');
  t.deepEqual(made!.events.toSorted(), events.toSorted());
});

test('a session that was stolen an hour ago gives no role and no product away', async (t) => {
  const team = await teams.team(['admin', 'viewer']);
  const { owner, viewer } = team.members;
  const product = await api.seed.product({ owner: owner.person });
  await makeStale(api, owner.person);
  const attempts: [string, Record<string, string>][] = [
    [`${team.path}/members/${viewer.person.id}/owner`, { afterwards: 'stay' }],
    ...['owner', 'admin', 'developer', 'finance'].map((role): [string, Record<string, string>] => [
      `${team.path}/invitations`,
      { email: 'thief@example.com', role },
    ]),
    [`${team.path}/members/${viewer.person.id}`, { role: 'admin' }],
    [`/console/products/${product.slug}/transfer`, { team: team.id }],
  ];
  for (const [action, fields] of attempts) {
    t.is((await post(owner.browser, action, fields)).status, 403, action);
  }
  t.is(await teams.roleOf(team.id, viewer.person.id), 'viewer');
  t.is(await count('team_invitation where team_id = $1', team.id), 0);
  t.is(await count('product where owner_team_id = $1', team.id), 0);
  const invited = await post(owner.browser, `${team.path}/invitations`, {
    email: 'colleague@example.com',
    role: 'viewer',
  });
  t.is(invited.status, 303, 'a viewer is invited without a proof');
});

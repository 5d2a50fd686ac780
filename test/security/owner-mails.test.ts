import test from 'ava';
import { startTeams } from '../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
test.after.always(() => api.close());

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

import test from 'ava';
import { DEFAULT_LIMITS } from '../../../api/limits.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi } from '../../support/http/api.ts';
import { authorizePath, basic, postToken, type Fields } from '../../support/identity/oauth.ts';

const api = await startApi();
const product = await api.seed.product();
const client = await api.seed.client({ product });
test.after.always(() => api.close());

/** Away from the boundary, where a test's requests would fall into two windows. */
async function startWindow() {
  const [row] = await api.test.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await api.test.advance((row!.left + 1) * 1_000);
}

const send = (id: string, secret: string, fields: Fields = { grant_type: 'x' }) =>
  postToken(api, { headers: { authorization: basic(id, secret) }, fields });

test('the limits are the decided ones', (t) => {
  t.is(DEFAULT_LIMITS.token, 60);
  t.is(DEFAULT_LIMITS.authorize, 120);
});

test.serial(
  'T22 the 61st request in a minute that is not proven is 429, and so is the 61st that is',
  async (t) => {
    await startWindow();
    const ways = [
      () => send(client.clientId, newCredential('gcs_')),
      () => postToken(api, { fields: { client_id: client.clientId } }),
      () => send(client.clientId.replace('_', '%5F'), 'x'),
    ];
    for (let n = 0; n < 60; n += 1) t.not((await ways[n % 3]!()).status, 429);
    const proven = () => send(client.clientId, client.secret);
    for (let n = 0; n < 60; n += 1) t.is((await proven()).status, 400);
    for (const way of [...ways, proven]) {
      const response = await way();
      t.is(response.status, 429);
      t.is(response.headers.get('cache-control'), 'no-store');
      t.is(response.headers.get('pragma'), 'no-cache');
      t.like(await response.json(), { error: 'rate_limited' });
      const waitS = Number(response.headers.get('retry-after'));
      t.true(Number.isInteger(waitS) && waitS >= 1 && waitS <= 60);
    }
    const other = await api.seed.client({ product });
    t.is((await send(other.clientId, other.secret)).status, 400, 'another client has its own');
    await startWindow();
    t.is((await send(client.clientId, client.secret)).status, 400, 'the counter starts anew');
  },
);

test.serial('clients that are not registered share the 60 of their address', async (t) => {
  await startWindow();
  for (let n = 0; n < 60; n += 1) {
    const id = n % 2 === 0 ? `gcl_${String(n).padStart(22, '0')}` : `someone${n}`;
    t.is((await send(id, 'x')).status, 401);
  }
  t.is((await send('gcl_9999999999999999999999', 'x')).status, 429);
  t.is((await postToken(api, {})).status, 429);
  t.is((await send(client.clientId, client.secret)).status, 400);
});

test.serial(
  'authorize is limited to 120 per minute and address, and its refusal is a page',
  async (t) => {
    await startWindow();
    for (let n = 0; n < 120; n += 1) await api.request('/oauth/authorize');
    const refused = await api.request(authorizePath(client));
    t.is(refused.status, 429);
    t.regex(refused.headers.get('content-type')!, /text\/html/);
    t.regex(await refused.text(), /data-error="rate_limited"/);
  },
);

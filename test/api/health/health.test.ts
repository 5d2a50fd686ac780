import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi, type TestApi } from '../../support/http/api.ts';

const reachable = { isReachable: () => Promise.resolve(true) };
const unreachable = { isReachable: () => Promise.resolve(false) };

test('health tells the version and how long the process has been up', async (t) => {
  const api = await startApi();
  const response = await api.request('/api/health');
  const body = JSON.parse(await response.text());
  t.is(response.status, 200);
  t.deepEqual(Object.keys(body), ['status', 'version', 'uptime_s']);
  t.is(body.status, 'ok');
  t.true(Number.isInteger(body.uptime_s));
  await api.close();
});

test('ready reports Temporal, and does not depend on it', async (t) => {
  for (const temporal of [reachable, unreachable]) {
    const api = await startApi({ temporal });
    const response = await api.request('/api/ready');
    const body = JSON.parse(await response.text());
    t.is(response.status, 200);
    t.like(body, { status: 'ok', checks: { database: { ok: true } } });
    t.deepEqual(body.checks.temporal, { ok: await temporal.isReachable() });
    await api.close();
  }
});

test('with the database refused ready answers 503 and requests answer unavailable', async (t) => {
  const api = await startApi({
    temporal: reachable,
    databaseUrl: 'postgres://postgres@127.0.0.1:1/nothing',
  });
  const ready = await api.request('/api/ready');
  t.is(ready.status, 503);
  t.like(await ready.json(), {
    status: 'unavailable',
    checks: { database: { ok: false }, temporal: { ok: true } },
  });
  t.is((await api.request('/api/health')).status, 200);
  await expectUnavailable(t, api);
  await api.close();
});

test('with a database that accepts connections and says nothing it is the same', async (t) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const api = await startApi({ databaseUrl: `postgres://postgres@127.0.0.1:${port}/nothing` });
  t.is((await api.request('/api/ready')).status, 503);
  await expectUnavailable(t, api);
  silent.close();
  await api.close();
});

async function expectUnavailable(t: ExecutionContext, api: TestApi) {
  const headers = { authorization: `Bearer ${newCredential('gk_live_')}` };
  const [check, page, buy] = await Promise.all([
    api.request('/api/v1/entitlements?user_id=x', { headers }),
    api.request('/'),
    api.request('/buy/anything'),
  ]);
  t.is(check.status, 503);
  t.like(await check.json(), { error: 'unavailable' });
  t.is(page.status, 503);
  t.regex(await page.text(), /data-error="unavailable"/);
  t.is(buy.status, 503);
}

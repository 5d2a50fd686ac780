import { Writable } from 'node:stream';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { json, csv } from '../../../api/http/response.ts';
import { defineRoute } from '../../../api/http/route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { createLogger } from '../../../platform/log.ts';
import { startApi, type TestApi } from '../../support/http/api.ts';
import { createHttpServer } from '../../../platform/http-server.ts';
import { eventually } from '../../support/eventually.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { watchTemporal } from '../../../api/health/temporal-health.ts';
import { connectTemporal } from '../../support/engines/temporal.ts';

const broken = (path: string) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Fails',
    credential: 'public',
    limit: null,
    input: {},
    async handler({ services }) {
      await services.database.pool.query(`select 'hunter2'::integer`);
      return json({});
    },
  });

async function* failLate() {
  yield 'a line\r\n'.repeat(1_000);
  await Promise.resolve();
  throw new Error('the database is gone');
}

const failing = defineRoute({
  method: 'GET',
  path: '/export',
  summary: 'Fails after its first lines',
  credential: 'public',
  limit: null,
  input: {},
  handler: () => csv('lines.csv', failLate(), {}),
});

const lines: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(chunk.toString());
    done();
  },
});
const api = await startApi({
  routes: [...ROUTES, broken('/api/broken'), broken('/broken'), failing],
  logger: createLogger({ name: 'api', format: 'json', level: 'info', output: sink }),
});
const product = await api.seed.product();
const temporal = await connectTemporal();
test.after.always(() => Promise.all([api.close(), temporal.connection.close()]));

test.serial(
  'a fault is 500 without its text or stack, and is logged with the request id',
  async (t) => {
    const response = await api.request('/api/broken');
    const body = await response.text();
    t.is(response.status, 500);
    t.like(JSON.parse(body), { error: 'internal_error' });
    t.notRegex(body, /hunter2|integer|\.ts|node_modules/);
    const line = lines.find((text) => text.includes('request failed'))!;
    const id = response.headers.get('x-request-id')!;
    t.like(JSON.parse(line), { requestId: id, err: { reason: '22P02' } });
    t.regex(line, /faults\.test\.ts/);
    t.false(lines.join('').includes('hunter2'));
    const page = await api.request('/broken');
    t.is(page.status, 500);
    t.regex(await page.text(), /data-error="internal_error"/);
  },
);

test.serial(
  'a log line names the pattern of the path, and nothing that the caller sent',
  async (t) => {
    lines.length = 0;
    await api.request(`/p/${product.slug}?reason=s3cret-query`, {
      headers: { cookie: 'gatehouse_session=s3cret-cookie', authorization: 'Bearer s3cret-key' },
    });
    await api.request('/sign-in', {
      method: 'POST',
      body: new URLSearchParams({ email: 's3cret-mail', password: 's3cret-password' }),
    });
    await api.request('/s3cret-path');
    const logged = lines.map((line) => JSON.parse(line));
    t.deepEqual(
      logged.map(({ method, route, status }) => [method, route, status]),
      [
        ['GET', '/p/:ref', 200],
        ['POST', '/sign-in', 403],
        ['GET', null, 404],
      ],
    );
    t.notRegex(lines.join(''), /s3cret/);
  },
);

for (const encoding of ['gzip', 'identity']) {
  test(`an export that fails midway breaks off, and the log says so (${encoding})`, async (t) => {
    const response = await api.request('/export', { headers: { 'accept-encoding': encoding } });
    t.is(response.status, 200);
    await t.throwsAsync(response.text());
    const id = response.headers.get('x-request-id')!;
    const line = await eventually(
      async () => lines.find((text) => text.includes('broke off') && text.includes(id)),
      (found) => found !== undefined,
    );
    t.like(JSON.parse(line!), { level: 50 });
  });
}

test('a caller that reads nothing of its response loses the connection', async (t) => {
  const server = createHttpServer((_, response) => response.end(Buffer.alloc(50_000_000)), {
    idleMs: 100,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const accepted = once(server, 'connection');
  const caller = connect(port, '127.0.0.1').pause();
  caller.on('error', () => undefined);
  caller.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [socket] = (await accepted) as [NodeJS.EventEmitter & { destroyed: boolean }];
  if (!socket.destroyed) await once(socket, 'close');
  t.true(socket.destroyed);
  caller.destroy();
  server.close();
});

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

const at = (address: string) => ({
  address,
  namespace: 'default',
  tls: undefined,
  apiKey: undefined,
});

test('Temporal is reachable while it answers', async (t) => {
  const watched = watchTemporal(at(temporal.address));
  t.true(await watched.isReachable());
  t.true(await watched.isReachable());
  watched.close();
});

test('Temporal is not reachable where nobody listens, nor where nobody answers', async (t) => {
  const calls: Socket[] = [];
  const silent = createServer((call) => calls.push(call)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const address of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
    const watched = watchTemporal(at(address));
    t.false(await watched.isReachable());
    watched.close();
  }
  for (const call of calls) call.destroy();
  silent.close();
});

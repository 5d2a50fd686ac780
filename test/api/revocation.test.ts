import test from 'ava';
import { createApp } from '../../api/app.ts';
import { hashCredential } from '../../domain/platform/ids.ts';
import { listen } from '../../domain/platform/process/listen.ts';
import { createLogger } from '../../domain/platform/process/log.ts';
import { createUsageRecorder } from '../../domain/usage/recorder.store.ts';
import { startApi } from '../support/api.ts';

const USER = '00000000-0000-0000-0000-000000000000';
const ROUNDS = 10;
const AT_ONCE = 20;

const api = await startApi({ limits: { unknown_credential: 100_000 } });
const { config, database, processor } = api;
const logger = createLogger({ name: 'api', format: 'json', level: 'silent' });
const usage = createUsageRecorder(database.pool, logger);
const second = createApp({
  config,
  database,
  processor,
  logger,
  usage,
  limits: { unknown_credential: 100_000 },
});
const listener = await listen(second.handler, { hosts: ['127.0.0.1'], port: 0 });
const product = await api.seed.product();
test.after.always(async () => {
  await listener.close();
  await usage.close();
  await api.close();
});

const origins = [api.url, `http://127.0.0.1:${listener.port}`];

const ask = async (path: string, credential: string) => {
  const headers = { authorization: `Bearer ${credential}` };
  const asked = Array.from({ length: AT_ONCE }, (_, n) =>
    fetch(`${origins[n % origins.length]}${path}`, { headers }).then(({ status }) => status),
  );
  return new Set(await Promise.all(asked));
};

type Given = { path: string; issue(): Promise<string>; revokeSql: string };

const KINDS: Record<string, Given> = {
  key: {
    path: `/api/v1/entitlements?user_id=${USER}`,
    issue: () => api.seed.key({ productId: product.id, mode: 'live' }),
    revokeSql: 'update api_key set revoked_at = gatehouse_now() where key_hash = $1',
  },
  token: {
    path: '/api/v1/me',
    issue: async () => (await api.seed.token({ product })).token,
    revokeSql: 'update access_token set revoked_at = gatehouse_now() where token_hash = $1',
  },
};

for (const [kind, { path, issue, revokeSql }] of Object.entries(KINDS)) {
  test(`a revoked ${kind} stops working on the next request, on every instance and in full use`, async (t) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const credential = await issue();
      t.deepEqual(await ask(path, credential), new Set([200]));
      const underWay = ask(path, credential);
      await api.test.query(revokeSql, [hashCredential(credential)]);
      t.deepEqual(await ask(path, credential), new Set([401]));
      await underWay;
    }
  });
}

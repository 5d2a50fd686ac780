import test from 'ava';
import { createApp } from '../../../api/app.ts';
import { listen } from '../../../domain/platform/process/listen.ts';
import { createLogger } from '../../../domain/platform/process/log.ts';
import { createUsageRecorder } from '../../../domain/usage/recorder.store.ts';
import { startApi } from '../../support/api.ts';
import { exchange, newCode, newProof, readProfile } from '../../support/oauth.ts';

const ROUNDS = 20;
const EXCHANGES = 50;
const limits = { token: 100_000, authorize: 100_000 };

const api = await startApi({ limits });
const { config, database, processor } = api;
const logger = createLogger({ name: 'api', format: 'json', level: 'silent' });
const usage = createUsageRecorder(database.pool, logger);
const second = createApp({ config, database, processor, logger, limits, usage });
const listener = await listen(second.handler, { hosts: ['127.0.0.1'], port: 0 });
const apps = [
  api,
  {
    request: (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${listener.port}${path}`, init),
  },
];
test.after.always(async () => {
  await listener.close();
  await usage.close();
  await api.close();
});

test('two concurrent exchanges of one code cannot both succeed: 50 over two apps give one token', async (t) => {
  const client = await api.seed.client({ product: await api.seed.product() });
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  for (let round = 0; round < ROUNDS; round += 1) {
    const { verifier, challenge } = newProof();
    const given = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await newCode(browser, client, given);
    const answers = await Promise.all(
      Array.from({ length: EXCHANGES }, (_, n) =>
        exchange(apps[n % 2]!, { client, code, fields: { code_verifier: verifier } }),
      ),
    );
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as {
      access_token?: string;
      error?: string;
    }[];
    const tokens = bodies.flatMap(({ access_token: token }) => token ?? []);
    t.is(tokens.length, 1, `round ${round}`);
    t.is(bodies.filter(({ error }) => error === 'invalid_grant').length, EXCHANGES - 1);
    for (const app of apps) t.is((await readProfile(app, tokens[0]!)).status, 200);
  }
});

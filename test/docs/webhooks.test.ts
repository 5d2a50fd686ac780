import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readHostEnvironment } from '../../platform/config.ts';
import { ERROR_CLASSES } from '../../domain/webhooks/deliveries/delivery.entity.ts';
import { EVENTS } from '../../domain/webhooks/events.schema.ts';
import {
  findFreePort,
  isOnThisMachine,
  startProgram,
  type Language,
} from '../support/repository/documented.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { createSubscriptions, type Subscribed } from '../support/subscriptions/subscriptions.ts';
import { startEndpoints } from '../support/webhooks/endpoints.ts';
import { eventually } from '../support/eventually.ts';

const endpoints = await startEndpoints();
const { api } = endpoints;
const stories = createSubscriptions({ testDatabase: api.test, database: api.database });
const sending = endpoints.startSending();
test.after.always(async () => {
  await sending.stop();
  await api.close();
});

const { execPath } = process;

const LANGUAGES: (Language & { name: string })[] = [
  {
    name: 'TypeScript',
    language: 'ts',
    file: 'receive.ts',
    probe: [execPath, '--version'],
    run: () => [execPath, 'receive.ts'],
  },
  {
    name: 'Python',
    language: 'python',
    file: 'receive.py',
    probe: ['python3', '--version'],
    run: () => ['python3', 'receive.py'],
  },
  {
    name: 'Go',
    language: 'go',
    file: 'receive.go',
    probe: ['go', 'version'],
    build: ['go', 'build', '-o', 'receive', 'receive.go'],
    run: () => ['./receive'],
  },
  {
    name: 'Ruby',
    language: 'ruby',
    file: 'receive.ru',
    probe: ['rackup', '--version'],
    run: (port) => ['rackup', '--host', '127.0.0.1', '--port', port, 'receive.ru'],
  },
  {
    name: 'PHP',
    language: 'php',
    file: 'receive.php',
    probe: ['php', '--version'],
    run: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receive.php'],
  },
];

const sign = (secret: string, body: Buffer, aheadS = 0) => {
  const t = Math.floor(Date.now() / 1_000) + aheadS;
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`;
};

for (const program of LANGUAGES) {
  const has = isOnThisMachine(program);
  const title = `the ${program.name} receiver of the documentation takes real deliveries, and nothing else`;
  (has ? test.serial : test.serial.skip)(
    `${title}${has ? '' : `: no ${program.probe[0]} here`}`,
    async (t) => {
      t.timeout(180_000);
      const port = await findFreePort();
      const url = `http://127.0.0.1:${port}/`;
      const { path } = await endpoints.newProduct();
      const made = await endpoints.add(path, { url });
      const running = await startProgram(program, { port, secret: made.secret });
      t.teardown(() => running.stop());

      await endpoints.press(`${made.path}/test`);
      sending.wake();
      const [delivery] = await endpoints.untilSent(made.endpointId);
      const { id, body } = delivery!;
      await eventually(running.handled.bind(null, id), (times) => times === 1, 20_000);

      const post = async (headers: Record<string, string>, sent = body) => {
        const response = await fetch(url, { method: 'POST', body: sent, headers });
        const said = await response.text();
        return response.status === 400 ? said : response.status;
      };
      const current = (aheadS?: number, sent = body) => ({
        'service-signature': sign(made.secret, sent, aheadS),
      });
      t.is(await post(current()), 204, 'once more: acknowledged');
      t.is(await post(current(-290)), 204);
      t.is(await post(current(290)), 204);
      t.is(await post(current(-310)), 'timestamp', 'too old');
      t.is(await post(current(310)), 'timestamp', 'from the future');
      t.is(await post({}), 'unsigned');
      t.is(await post({ 'service-signature': 't=1,v1=00' }), 'malformed');
      const changed = Buffer.from(body);
      changed[changed.length - 3]! ^= 1;
      t.is(await post(current(), changed), 'signature', 'a changed byte');
      const another = { 'service-signature': sign('whsec_other', body) };
      t.is(await post(another), 'signature', 'another secret');
      const cut = { 'service-signature': sign(made.secret.slice('whsec_'.length), body) };
      t.is(await post(cut), 'signature', 'the secret without its prefix');
      const previous = current()['service-signature'];
      t.is(await post({ ...another, 'service-signature-previous': previous }), 204);
      const noJson = Buffer.from('{"id":');
      t.is(await post(current(0, noJson), noJson), 'body');
      const spaced = Buffer.from(`${JSON.stringify(JSON.parse(body.toString()), null, 1)}\n`);
      t.is(await post(current(), spaced), 'signature', 'the raw body counts, not what it means');
      const accented = Buffer.from(JSON.stringify({ id: 'evt_utf8', event: 'é\u{1F600}' }));
      t.is(await post(current(0, accented), accented), 204, 'bytes, not characters');

      const page = await (await endpoints.browser.get(made.path)).text();
      const [, replaces = ''] = /name="replaces" value="(\w+)"/.exec(page) ?? [];
      await endpoints.press(`${made.path}/rotate`, { replaces, window_days: '1' });
      await endpoints.press(`${made.path}/test`);
      sending.wake();
      const [, second] = await endpoints.untilSent(made.endpointId, 2);
      await eventually(running.handled.bind(null, second!.id), (times) => times === 1, 20_000);
      t.is(running.handled(id), 1, 'the same id is handled once');
    },
  );
}

const tools = { probe: ['sh', '-c', 'openssl version && curl --version'] } as const;
const withTools = isOnThisMachine(tools) ? test.serial : test.serial.skip;

withTools('curl and openssl verify a real delivery by hand, and sign one', async (t) => {
  const [verify = '', send = ''] = readBlocks('docs/webhooks.md', 'sh');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const port = await findFreePort();
  const { path } = await endpoints.newProduct();
  const made = await endpoints.add(path, { url: `http://127.0.0.1:${port}/` });
  const { secret } = made;
  const running = await startProgram(LANGUAGES[0]!, { port, secret });
  t.teardown(() => running.stop());
  await endpoints.press(`${made.path}/test`);
  sending.wake();
  const [delivery] = await endpoints.untilSent(made.endpointId);
  const body = delivery!.body;
  const run = (script: string, given: Record<string, string> = {}) => {
    const env = { ...readHostEnvironment(), PORT: String(port), WEBHOOK_SECRET: secret, ...given };
    return execFileSync('sh', ['-c', script], { cwd: folder, env }).toString().trim();
  };
  writeFileSync(join(folder, 'body.json'), body);
  t.is(run(verify, { SIGNATURE: sign(secret, body) }), 'genuine');
  t.is(run(verify, { SIGNATURE: sign(secret, body, -310) }), 'timestamp');
  t.is(run(verify, { SIGNATURE: sign(secret, body, 310) }), 'timestamp');
  t.is(run(verify, { SIGNATURE: sign('whsec_other', body) }), 'signature');
  t.is(run(send), '204');
  t.is(run(send, { WEBHOOK_SECRET: 'whsec_other' }), 'signature 400');
});

test('the documentation names every error that a delivery can have', (t) => {
  const text = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  const unnamed = ERROR_CLASSES.filter((error) => !text.includes(`| \`${error}\``));
  t.deepEqual(unnamed, []);
});

type Told = { event: string; data: Record<string, unknown> };
const FAILED = 'subscription.payment_failed';

const documented = readBlocks('docs/subscriptions.md', 'json').map(
  (block) => JSON.parse(block) as Told & { id: string; created_at: string },
);

const toldOf = ({ productId }: Subscribed) =>
  api.test.query<Told>(
    'select name as event, data from event where product_id = $1 order by created_at, id',
    [productId],
  );

/** What of it is the same for everybody: ids are of those who are meant, instants of the day. */
const shapeOf = ({ event, data }: Told) => ({
  event,
  data: Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const isOwn = name.endsWith('_id') || name === 'source' || name === 'ends_at';
      return [name, isOwn && value !== null ? typeof value : value];
    }),
  ),
});

test('the events of the documentation are those that a subscription leads to, in their order', async (t) => {
  const subscribed = await stories.subscribe();
  await stories.hear(subscribed);
  await stories.hear(subscribed, { renewals: 1 });
  await stories.requestChange(subscribed, 'cancel');
  await stories.hear(subscribed, { renewals: 1, isCancelAtPeriodEnd: true });
  await stories.requestChange(subscribed, 'resume');
  await stories.hear(subscribed, { renewals: 1 });
  const paymentId = (await stories.payments(subscribed)).at(-1)!.id;
  await stories.tell(subscribed, [{ paymentId }]);
  const told = await toldOf(subscribed);
  const isShown = ({ event }: Told) =>
    !['entitlement.renewed', 'entitlement.resumed'].includes(event);
  const shown = documented.filter(({ event }) => event !== FAILED);
  t.deepEqual(told.filter(isShown).map(shapeOf), shown.map(shapeOf));
  const [, created, renewed, , resumed] = told;
  t.deepEqual([renewed!.event, resumed!.event], ['entitlement.renewed', 'entitlement.resumed']);
  t.deepEqual(renewed!.data, created!.data);
  t.deepEqual(resumed!.data, created!.data);
});

test('a renewal that fails sends the event of the documentation', async (t) => {
  const failing = await stories.subscribe();
  await stories.hear(failing, { begun: -30, retryIn: 1 });
  const { event, data } = (await toldOf(failing)).at(-1)!;
  const example = documented.find((each) => each.event === FAILED)!;
  t.is(event, FAILED);
  t.deepEqual(Object.keys(data).toSorted(), Object.keys(example.data).toSorted());
  for (const name of ['amount_minor', 'currency']) t.is(data[name], example.data[name]);
  const daysFrom = (from: unknown, to: unknown) =>
    Math.round((Date.parse(String(to)) - Date.parse(String(from))) / 86_400_000);
  for (const { next_attempt_at: next, access_until: until } of [data, example.data]) {
    t.is(daysFrom(next, until), 7, 'the next try is on day 1, the end of grace on day 8');
  }
});

test('a refund of an older month carries its payment_id, and what lapses expires', async (t) => {
  const subscribed = await stories.subscribe();
  await stories.hear(subscribed, { renewals: 1 });
  const paymentId = (await stories.payments(subscribed))[0]!.id;
  await stories.tell(subscribed, [{ paymentId }]);
  t.like((await toldOf(subscribed)).at(-1), {
    event: 'purchase.refunded',
    data: { payment_id: paymentId },
  });
  const lapsed = await stories.subscribe();
  await stories.hear(lapsed, { begun: -40, retryIn: null });
  t.like((await toldOf(lapsed)).at(-1), {
    event: 'entitlement.expired',
    data: { active: false },
  });
});

test('each example of the documentation has the shape that the reference promises', (t) => {
  t.true(documented.length > 4);
  for (const { id, event, created_at: at, data } of documented) {
    t.regex(id, /^evt_[0-9A-Z]{26}$/);
    t.is(new Date(at).toISOString(), at);
    const { shape } = EVENTS[event as keyof typeof EVENTS].data;
    t.deepEqual(
      Object.keys(data).filter((name) => !(name in shape)),
      [],
    );
    t.true(EVENTS[event as keyof typeof EVENTS].data.safeParse(data).success, event);
  }
});

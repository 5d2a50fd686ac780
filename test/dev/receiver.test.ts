import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'ava';
import { listenAt, startReceiver } from '../../dev/demo/receiver.ts';
import { findFreePort } from '../support/repository/documented.ts';

async function endpoints() {
  const base = `http://127.0.0.1:${await findFreePort()}/webhooks`;
  return [
    { url: `${base}/one`, secret: 'whsec_one' },
    { url: `${base}/two`, secret: 'whsec_two' },
  ] as const;
}

function send({ url, secret }: { url: string; secret: string }, event: object) {
  const body = JSON.stringify(event);
  const t = Math.floor(Date.now() / 1_000);
  const digest = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const headers = { 'service-signature': `t=${t},v1=${digest}` };
  return fetch(url, { method: 'POST', body, headers });
}

const EVENT = { id: 'evt_1', event: 'purchase.completed', data: { user_id: 'u' } };

test("each product's genuine events are received, once each, and nothing else", async (t) => {
  const [one, two] = await endpoints();
  const running = await startReceiver([one, two]);
  t.teardown(() => running!.close());
  t.is((await send(one, EVENT)).status, 204);
  t.is((await send(one, EVENT)).status, 204);
  t.is((await send({ ...two, secret: one.secret }, EVENT)).status, 400);
  t.is((await fetch(two.url, { method: 'POST', body: '{}' })).status, 400);
  t.is((await fetch(new URL('/else', one.url), { method: 'POST' })).status, 404);
  t.deepEqual(await (await fetch(one.url)).json(), [EVENT]);
  t.deepEqual(await (await fetch(two.url)).json(), []);
});

test('the demo hears of events through it, or listens itself where it does not run', async (t) => {
  for (const isRunning of [true, false]) {
    const [one, two] = await endpoints();
    const running = isRunning ? await startReceiver([one, two]) : null;
    t.teardown(() => running?.close());
    const receiver = await listenAt(one);
    const received = receiver.waitFor('purchase.completed', ({ data }) => data['user_id'] === 'u');
    t.is((await send(one, EVENT)).status, 204);
    t.is((await received).id, 'evt_1');
    await t.throwsAsync(
      receiver.waitFor('other', () => true, 100),
      { message: /no genuine other/ },
    );
    await receiver.close();
  }
});

test('it leaves a port that another program has', async (t) => {
  const [one] = await endpoints();
  const other = createServer();
  await once(other.listen(Number(new URL(one.url).port), '127.0.0.1'), 'listening');
  t.is(await startReceiver([one]), null);
  other.close();
});

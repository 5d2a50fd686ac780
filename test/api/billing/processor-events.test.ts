import test from 'ava';
import { hmacSha256Hex } from '../../../domain/shared/secrets.ts';
import { startApi } from '../../support/http/api.ts';
import { createProcessor } from '../../../clients/processor/processor.ts';
import { priceMember } from '../../support/subscriptions/memberships.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

const api = await startApi();
const live = await startApi({
  config: { processor: { ...api.config.processor, kind: 'stripe', secretKey: 'sk_live_x' } },
});
test.after.always(() => Promise.all([api.close(), live.close()]));

let number = 0;

function event(changes: Record<string, unknown> = {}) {
  number += 1;
  return JSON.stringify({
    id: `evt_${number}`,
    object: 'event',
    type: 'checkout.session.completed',
    livemode: false,
    created: Math.floor(Date.now() / 1_000),
    data: { object: { metadata: {} } },
    ...changes,
  });
}

function sign(body: string, { secret = api.config.processor.webhookSecret, ageS = 0 } = {}) {
  const at = Math.floor(Date.now() / 1_000) - ageS;
  return `t=${at},v1=${hmacSha256Hex(secret, Buffer.from(`${at}.${body}`))}`;
}

const headersOf = (signature: string | undefined): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  ...(signature === undefined ? {} : { 'stripe-signature': signature }),
});

const send = (body: string, signature?: string) =>
  api.request('/api/processor/events', {
    method: 'POST',
    body,
    headers: headersOf(signature),
  });

const stored = (body: string) =>
  api.test.query('select type, dead_letter_reason from processor_event where id = $1', [
    JSON.parse(body).id,
  ]);

test('a signed event is recorded before the answer, and its copy changes nothing', async (t) => {
  const body = event();
  const response = await send(body, sign(body));
  t.is(response.status, 200);
  t.deepEqual(await response.json(), { received: true });
  const row = { type: 'checkout.session.completed', dead_letter_reason: 'unknown_purchase' };
  t.deepEqual(await stored(body), [row]);
  t.is((await send(body, sign(body))).status, 200);
  t.deepEqual(await stored(body), [row]);
});

test('a signature that is missing, wrong, old or over other bytes is 400', async (t) => {
  const body = event();
  const signatures = [
    undefined,
    '',
    'nonsense',
    sign(body, { secret: 'whsec_other' }),
    sign(body, { ageS: 400 }),
    sign(body, { ageS: -400 }),
    sign(` ${body}`),
  ];
  for (const signature of signatures) {
    const response = await send(body, signature);
    t.is(response.status, 400, signature);
    t.like(await response.json(), { error: 'invalid_request' });
  }
  t.deepEqual(await stored(body), []);
});

test('an event of test mode on live data is 400, and the reverse', async (t) => {
  const body = event({ livemode: true });
  t.is((await send(body, sign(body))).status, 400);
  t.deepEqual(await stored(body), []);
  const test = event({ livemode: false });
  const init = { method: 'POST', body: test, headers: headersOf(sign(test)) };
  t.is((await live.request('/api/processor/events', init)).status, 400);
  t.deepEqual(await live.test.query('select 1 from processor_event'), []);
  const signed = { ...init, body, headers: headersOf(sign(body)) };
  t.is((await live.request('/api/processor/events', signed)).status, 200);
});

test('bodies up to 256 KiB are taken', async (t) => {
  const large = event({ padding: 'x'.repeat(200 * 1024) });
  t.is((await send(large, sign(large))).status, 200);
  t.is((await send('x'.repeat(256 * 1024 + 1), 'x')).status, 413);
});

test('a signed body that is nested deeply is 400, and nothing is kept', async (t) => {
  for (const levels of [101, 10_000, 60_000]) {
    const deep = `${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`.slice(0, 250_000);
    const bodies = [
      event().replace('"metadata":{}', `"metadata":{},"deep":${deep}`),
      event().replace('"livemode"', `"deep":${'['.repeat(levels)}${']'.repeat(levels)},"livemode"`),
    ];
    for (const body of bodies) {
      const response = await send(body, sign(body));
      t.is(response.status, 400, String(levels));
      t.like(await response.json(), { error: 'invalid_request' });
    }
  }
  t.deepEqual(await api.test.query(`select 1 from processor_event_body where body ? 'deep'`), []);
});

test('an event that is not followed is dead-lettered, and one alert tells of its type', async (t) => {
  const type = 'issuing_card.created';
  for (const body of [event({ type }), event({ type })]) {
    t.is((await send(body, sign(body))).status, 200);
    t.deepEqual(await stored(body), [{ type, dead_letter_reason: 'unknown_type' }]);
  }
  const alerts = await api.test.query('select kind, times from alert where subject = $1', [type]);
  t.deepEqual(alerts, [{ kind: 'event_dead_lettered', times: 2 }]);
});

test('signed bytes that are no event are 400, and nothing is kept', async (t) => {
  const broken = ['', '{', 'null', '[]', '{}', '"x"', '5', '['.repeat(5_000) + ']'.repeat(5_000)];
  const wrong = [
    { id: '' },
    { id: 5 },
    { id: 'evt_\0' },
    { id: 'e'.repeat(300) },
    { type: 5 },
    { type: 'a\0b' },
    { object: 'x' },
    { livemode: 'no' },
    { data: null },
    { data: { object: null } },
    { data: { object: { metadata: { purchase_id: ['a'] } } } },
  ];
  for (const body of [...broken, ...wrong.map(event)]) {
    const response = await send(body, sign(body));
    t.is(response.status, 400, body.slice(0, 80));
    t.like(await response.json(), { error: 'invalid_request' });
  }
});

test('an event with text that the database cannot hold is kept all the same', async (t) => {
  const half = String.fromCharCode(0xd800);
  const metadata = { purchase_id: 'pay_\0', note: `\0\0${half} \\u0000 é`, [`k\0`]: 'v' };
  const body = event({ data: { object: { metadata } } });
  t.is((await send(body, sign(body))).status, 200);
  const [row] = await api.test.query<{ note: string }>(
    `select body #>> '{data,object,metadata,note}' as note
     from processor_event_body where body->>'id' = $1`,
    [JSON.parse(body).id],
  );
  t.is(row?.note, '\ufffd\ufffd\ufffd \\u0000 é');
});

test('a processor that cannot be reached is processor_unavailable, and the intent is kept', async (t) => {
  const processor = createProcessor({
    kind: 'simulator',
    apiUrl: 'http://127.0.0.1:1',
    secretKey: 'sk_test_x',
    webhookSecret: 'whsec_x',
  });
  const api = await startApi({ processor });
  const owner = await api.seed.person({ isBuilder: true });
  await api.seed.payoutAccount(owner, { account: 'acct_x' });
  const product = await api.seed.product({ owner });
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  for (const _ of ['once', 'again']) {
    const response = await browser.get(`/buy/${product.slug}`);
    t.is(response.headers.get('location'), `/p/${product.slug}?reason=processor_unavailable`);
  }
  const intents = await api.test.query('select status, session_id from checkout');
  t.deepEqual(intents, [{ status: 'open', session_id: null }]);
  await api.close();
});

test('an intent that the processor refuses for good makes place for the next attempt', async (t) => {
  const api = await startApi();
  const owner = await api.seed.person({ isBuilder: true });
  await api.seed.payoutAccount(owner, { account: 'acct_unknown' });
  const product = await api.seed.product({ owner });
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  const response = await browser.get(`/buy/${product.slug}`);
  t.is(response.headers.get('location'), `/p/${product.slug}?reason=processor_unavailable`);
  t.deepEqual(await api.test.query('select status from checkout'), [{ status: 'replaced' }]);
  await api.close();
});

/** A processor that keeps its first answer to each key, as Stripe does, and fails the first key. */
async function stubWithFailedKey() {
  const kept = new Map<string, { status: number; body: object }>();
  const asked: string[] = [];
  const stub = await stubProcessor(({ headers }) => {
    const key = String(headers['idempotency-key']);
    asked.push(key);
    const answer = kept.get(key) ?? (kept.size === 0 ? FAILED : sessionOf(kept.size));
    kept.set(key, answer);
    return answer;
  });
  return { ...stub, asked };
}

const FAILED = { status: 500, body: { error: { type: 'api_error', message: 'oops' } } };

const sessionOf = (number: number) => ({
  status: 200,
  body: {
    id: `cs_test_${number}`,
    object: 'checkout.session',
    url: `https://checkout.example/${number}`,
    expires_at: Math.floor(Date.now() / 1_000) + 86_400,
  },
});

test('a 500 that the processor repeats for a key does not keep a buyer from buying', async (t) => {
  const stub = await stubWithFailedKey();
  const api = await startApi({ processor: stub.processor });
  const owner = await api.seed.person({ isBuilder: true });
  await api.seed.payoutAccount(owner, { account: 'acct_x' });
  const product = await api.seed.product({ owner });
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  const click = async () =>
    (await browser.get(`/buy/${product.slug}`)).headers.get('location') ?? '';
  t.is(await click(), `/p/${product.slug}?reason=processor_unavailable`);
  t.is(await click(), 'https://checkout.example/1');
  const [first, again, other] = stub.asked;
  t.is(first, again);
  t.not(first, other);
  await api.close();
  await stub.close();
});

test('a 500 that the processor repeats for a key does not keep a person from Member', async (t) => {
  const stub = await stubWithFailedKey();
  const api = await startApi({ processor: stub.processor });
  await priceMember({ database: api.database, testDatabase: api.test });
  const browser = api.browser();
  await browser.signIn(await api.seed.person());
  const click = async () => {
    const response = await browser.get('/member/subscribe?currency=USD&interval=month');
    return response.headers.get('location') ?? '';
  };
  t.true((await click()).includes('processor_unavailable'));
  t.is(await click(), 'https://checkout.example/1');
  await api.close();
  await stub.close();
});

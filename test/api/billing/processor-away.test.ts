import test from 'ava';
import { createProcessor } from '../../../clients/processor/processor.ts';
import { startApi } from '../../support/http/api.ts';
import { priceMember } from '../../support/subscriptions/memberships.ts';
import { stubProcessor } from '../../support/purchases/stub-processor.ts';

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

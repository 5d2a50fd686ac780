import test from 'ava';
import { createProcessor } from '../../../activities/clients/processor.ts';
import { startApi } from '../../support/api.ts';

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

import test from 'ava';
import { recordEvent } from '../../../domain/webhooks/event.store.ts';
import { Delivery } from '../../../domain/webhooks/delivery.entity.ts';
import { newUuid } from '../../../domain/platform/ids.ts';
import { startApi } from '../../support/api.ts';

const api = await startApi();
const owner = await api.seed.person({ isBuilder: true });
const product = await api.seed.product({ owner, name: 'Pocket Synth' });
const { secret } = await api.seed.endpoint({
  productId: product.id,
  url: 'https://receiver.example/hook',
});
test.after.always(() => api.close());

test('a builder sees own products, keys by their last four, endpoints and deliveries', async (t) => {
  await api.database.transaction((em) =>
    recordEvent(em, {
      productId: product.id,
      name: 'purchase.completed',
      data: {
        purchase_id: 'pay_1',
        user_id: newUuid(),
        product_id: product.id,
        gross_minor: 1_250,
        currency: 'USD',
      },
    }),
  );
  const em = api.database.em();
  const { id } = await em.findOneOrFail(Delivery, { productId: product.id });
  const outcome = { status: 'retrying' as const, lastStatusCode: 500 };
  await em.nativeUpdate(Delivery, { id }, { ...outcome, lastError: 'http_status' });
  const browser = api.browser();
  await browser.signIn(owner);
  const page = await (await browser.get('/console')).text();
  t.true(page.includes('Pocket Synth'));
  t.true(page.includes(`gk_live_...${product.liveKey.slice(-4)}`));
  t.false(page.includes(product.liveKey) || page.includes(secret));
  t.true(page.includes('https://receiver.example/hook'));
  t.regex(page, /retrying[\s\S]*500 http_status/);
  t.true(
    page.includes(`href="http://localhost:8233/namespaces/default/workflows/delivery%3A${id}"`),
  );
});

test('nobody sees the products of another', async (t) => {
  const browser = api.browser();
  await browser.signIn(await api.seed.person({ isBuilder: true }));
  const page = await (await browser.get('/console')).text();
  t.false(page.includes('Pocket Synth') || page.includes('receiver.example'));
});

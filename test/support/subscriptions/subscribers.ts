import type { ExecutionContext } from 'ava';
import type { startBuying } from '../purchases/buying.ts';
import { pay } from '../purchases/simulator.ts';
import { createSubscriptions } from './subscriptions.ts';

/** People who have subscribed to a product through the buy link, without the actors. */
export function createSubscribers(buying: Awaited<ReturnType<typeof startBuying>>) {
  const { api, sell, signedIn, expectCheckout } = buying;
  const stories = createSubscriptions({ testDatabase: api.test, database: api.database });

  /** Subscribed through the buy link and the processor's page, and paid for. */
  async function subscribed(t: ExecutionContext, name = 'By the month') {
    const product = await sell({ name, prices: { USD: 1_900 } });
    const monthly = `update offer set kind = 'monthly' where product_id = $1`;
    await api.test.query(monthly, [product.id]);
    const { browser, person } = await signedIn();
    await pay(expectCheckout(t, await browser.get(`/buy/${product.slug}`)));
    const [row] = await api.test.query<{ purchaseId: string; sessionId: string; id: string }>(
      `select p.id as "purchaseId", c.session_id as "sessionId", s.id
       from purchase p join checkout c on c.id = p.checkout_id
       join subscription s on s.purchase_id = p.id where p.product_id = $1`,
      [product.id],
    );
    const { purchaseId, sessionId, id: subscriptionId } = row!;
    const read = await api.processor.readCheckout(sessionId);
    const sale = { personId: person.id, productId: product.id, purchaseId };
    await stories.settle(sale, read);
    const processorId = read.subscriptionId!;
    const story = { ...sale, subscriptionId, processorId, anchor: new Date() };
    return { browser, person, product, path: `/subscriptions/${subscriptionId}`, story };
  }

  return { stories, subscribed };
}

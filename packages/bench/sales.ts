// Purchases through everything that they pass: processor, API, inbox, outbox, Temporal, worker, access.
import { setTimeout as pause } from 'node:timers/promises';
import { createProcessor, type Processor } from '../../clients/processor/processor.ts';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase, type Database } from '../../platform/database/database.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { decideAttribution } from '../../domain/billing/checkout/attribution.ts';
import { attachSession } from '../../domain/billing/checkout/checkout.repository.ts';
import { recordCheckout } from '../../domain/billing/checkout/record-checkout.repository.ts';
import { startMailbox } from '../../dev/mail/mailbox.ts';
import { resolvePorts } from '../../dev/ports.ts';
import { openReadyAccount } from '../simulator/onboard.ts';
import { clearEndpoints } from './data/deliveries.ts';
import { personIdOf } from './data/people.ts';
import { PROCESSOR } from './start/product.ts';
import type { Stage } from './stage.ts';
import { percentile } from './measure/statistics.ts';

type Price = { priceId: string; offerId: string; productId: string };
type Kind = 'one_time' | 'monthly';
type Shop = {
  database: Database;
  processor: Processor;
  payoutAccount: string;
  price: Price;
  kind: Kind;
};

const BUYERS = 16;
const CARD = '4242424242424242';
/** Nobody buys a product twice. */
const FIRST_BUYERS: Record<Kind, number> = { one_time: 1_000, monthly: 100_000 };

/** Buys as quickly as it goes, until all have cleared. */
export async function buyMany(
  stage: Stage,
  { next, count }: { next: () => Promise<string>; count: number },
): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  const buyers = Array.from({ length: BUYERS }, async () => {
    while (left > 0) {
      left -= 1;
      ids.push(await next());
    }
  });
  await Promise.all(buyers);
  await untilCleared(stage, ids);
  return ids;
}

type Steady = { next: () => Promise<string>; count: number; perS: number };

/** Half of them took no longer, from the processor's event to the access that it gave, in milliseconds. */
export async function sellSteadily(stage: Stage, { next, count, perS }: Steady): Promise<number> {
  const startedAt = performance.now();
  const bought: Promise<string>[] = [];
  for (let n = 0; n < count; n += 1) {
    const waitMs = startedAt + (n * 1_000) / perS - performance.now();
    if (waitMs > 0) await pause(waitMs);
    const purchase = next();
    // It is looked at when the last one has been bought.
    purchase.catch(() => undefined);
    bought.push(purchase);
  }
  const ids = await Promise.all(bought);
  await untilCleared(stage, ids);
  const { rows } = await stage.pool.query<{ ms: number }>(
    `select (extract(epoch from p.cleared_at - min(e.received_at)) * 1000)::float as ms
     from purchase p join processor_event e on e.purchase_id = p.id
     where p.id = any($1) and e.type = 'checkout.session.completed' group by p.id order by ms`,
    [ids],
  );
  return percentile(
    rows.map(({ ms }) => ms),
    50,
  );
}

async function untilCleared({ pool }: Stage, ids: string[]): Promise<void> {
  for (let left = ids; left.length > 0; await pause(20)) {
    const { rows } = await pool.query<{ id: string }>(
      'select id from purchase where id = any($1) and cleared_at is null',
      [left],
    );
    left = rows.map(({ id }) => id);
  }
}

async function buy(
  { database, processor, payoutAccount, price, kind }: Shop,
  n: number,
): Promise<string> {
  const { productId, ...offered } = price;
  const personId = personIdOf(n + FIRST_BUYERS[kind]);
  const paid = { ...offered, amountMinor: 1_900, currency: 'USD', isBase: true, kind } as const;
  const intent = { personId, productId, price: paid, attribution: decideAttribution(null) };
  const opened = await database.transaction((em) => recordCheckout(em, intent));
  if (!opened || isRefusal(opened)) throw new Error('the checkout was not opened');
  const { checkoutId, purchaseId } = opened;
  const session = await processor.openCheckout({
    checkoutId,
    purchaseId,
    productName: 'Product',
    amountMinor: 1_900,
    currency: 'USD',
    customerEmail: 'buyer@example.com',
    payoutAccount,
    applicationFeeMinor: 190,
    applicationFeeBasisPoints: 1_000,
    recurring: kind === 'monthly' ? { interval: 'month' } : null,
    successUrl: 'http://127.0.0.1:1/done',
    cancelUrl: 'http://127.0.0.1:1/',
  });
  await database.transaction((em) => attachSession(em, checkoutId, session));
  const card = { card_number: CARD, expiry: '12 / 34', cvc: '123' };
  const answer = await fetch(session.url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(card),
  });
  await answer.body?.cancel();
  if (answer.status !== 303) throw new Error(`the payment was answered ${answer.status}`);
  return purchaseId;
}

// Nobody buys a product twice: figures of one run have different buyers.
let buyer = 0;

/** Everything that a sale passes, and the next buyer: who answers with a purchase that was paid. */
export async function openSales(
  stage: Stage,
  { kind = 'one_time', nodeArgs = [] }: { kind?: Kind; nodeArgs?: string[] } = {},
) {
  const { databaseUrl: url, pool, product } = stage;
  await stage.data.storefront();
  await clearEndpoints(pool); // nothing of an earlier round is left to do
  const temporalAddress = await stage.servers.temporal();
  const { port, smtpPort, pagePort } = await resolvePorts({ port: 0, smtpPort: 0, pagePort: 0 });
  // Each sale sends a receipt: with nobody to take it, its workflow would try again and again.
  const mailbox = await startMailbox({ smtpPort, pagePort, hosts: ['127.0.0.1'] });
  const simulatorUrl = `http://127.0.0.1:${port}`;
  const smtpUrl = `smtp://127.0.0.1:${smtpPort}`;
  const api = await product.startApi({ temporalAddress, simulatorUrl });
  await product.startSimulator({ port, webhooksTo: api.origin });
  const worker = await product.startWorker({ temporalAddress, simulatorUrl, smtpUrl, nodeArgs });
  const processor = createProcessor({ kind: 'simulator', apiUrl: simulatorUrl, ...PROCESSOR });
  const database = openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
  const { rows } = await pool.query<Price>(
    `select p.id as "priceId", o.id as "offerId", o.product_id as "productId"
     from price p join offer o on o.id = p.offer_id
     where p.currency = 'USD' and o.kind = $1 limit 1`,
    [kind],
  );
  const payoutAccount = await openReadyAccount(processor, 'seller@example.com');
  const shop = { database, processor, payoutAccount, price: rows[0]!, kind };
  return {
    next: () => buy(shop, (buyer += 1)),
    worker,
    async close() {
      await database.close();
      await stage.servers.stop();
      await mailbox.stop();
    },
  };
}

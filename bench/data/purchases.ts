import { setTimeout as pause } from 'node:timers/promises';
import { createProcessor } from '../../activities/clients/processor.ts';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase } from '../../domain/platform/database.ts';
import { newUuid } from '../../domain/platform/ids.ts';
import { isRefusal } from '../../domain/platform/refusal.ts';
import { decideAttribution } from '../../domain/selling/attribution.ts';
import { attachSession, openCheckout } from '../../domain/selling/checkout.store.ts';
import { recordProcessorEvent } from '../../domain/selling/purchase.store.ts';
import { resolvePorts } from '../../local/ports.ts';
import { startSimulator } from '../../local/simulator/main.ts';
import { SIMULATOR } from '../servers/worker.ts';
import type { Stage } from '../stage.ts';
import { PRODUCTS } from './catalog.ts';

export type Cashier = {
  /** Purchases that are paid, and of which the platform knows nothing yet. */
  sell(count: number): Promise<string[]>;
  /** The processor's word that a purchase is paid. */
  tell(purchaseId: string): Promise<void>;
  close(): Promise<void>;
};

const ASKED_MS = 5_000;
const NOWHERE = 'http://127.0.0.1:1';
const CARD = { card_number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123' };

export async function findSimulatorUrl(): Promise<string> {
  const { simulator } = await resolvePorts({ simulator: 0 });
  return `http://127.0.0.1:${simulator}`;
}

export async function openCashier(stage: Stage): Promise<Cashier> {
  const { databaseUrl, pool } = stage;
  const url = await stage.servers.simulatorUrl();
  const simulator = await startSimulator({
    databaseUrl,
    hosts: ['127.0.0.1'],
    ...SIMULATOR,
    webhookUrl: NOWHERE,
    log: { format: 'json', level: 'silent' },
    port: Number(new URL(url).port),
    url,
  });
  const processor = createProcessor({ kind: 'simulator', ...SIMULATOR, apiUrl: url });
  const payout = await processor.createPayoutAccount({ email: 'builder@example.com' });
  const options = { url: databaseUrl, listenUrl: databaseUrl, name: 'cashier' };
  const database = await openDatabase({ ...options, entities: ENTITIES });
  const offers = await priceProducts(stage);
  let sold = 0;

  async function open(): Promise<{ purchaseId: string; url: string }> {
    sold += 1;
    const { rows } = await pool.query<{ id: string; personId: string }>(
      `select p.id, (select id from person offset $1 limit 1) as "personId"
       from product p where p.id = $2`,
      [sold, offers[sold % PRODUCTS]!.productId],
    );
    const { id: productId, personId } = rows[0]!;
    const { offerId, priceId } = offers[sold % PRODUCTS]!;
    const amount = { amountMinor: 1_900, currency: 'USD' };
    const price = { priceId, offerId, ...amount, isBase: true };
    const attribution = decideAttribution(null);
    const opened = await database.transaction((em) =>
      openCheckout(em, { personId, productId, price, attribution }),
    );
    if (!opened || isRefusal(opened)) throw new Error('the checkout was not opened');
    const { checkoutId, purchaseId } = opened;
    const session = await processor.openCheckout({
      checkoutId,
      purchaseId,
      ...amount,
      productName: 'Product',
      customerEmail: 'buyer@example.com',
      payoutAccount: payout.id,
      applicationFeeMinor: 190,
      successUrl: NOWHERE,
      cancelUrl: NOWHERE,
    });
    await database.transaction((em) => attachSession(em, checkoutId, session));
    await fetch(session.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(CARD),
    });
    return { purchaseId, url: session.url };
  }

  return {
    async sell(count) {
      const opened = [];
      for (let n = 0; n < count; n += 1) opened.push(await open());
      // Each actor has asked the processor once, and waits: only the word of the payment wakes it.
      await untilSent(stage);
      await pause(ASKED_MS);
      for (const { url } of opened) {
        await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(CARD) });
      }
      return opened.map(({ purchaseId }) => purchaseId);
    },
    async tell(purchaseId) {
      const event = { id: `evt_${newUuid()}`, type: 'checkout.session.completed', body: {} };
      await database.transaction((em) =>
        recordProcessorEvent(em, { processor: 'simulator', ...event, purchaseId }),
      );
    },
    async close() {
      await simulator.stop();
      await database.close();
    },
  };
}

async function priceProducts({ pool }: Stage) {
  await pool.query(
    `insert into offer (id, product_id, kind, is_default)
     select gen_random_uuid(), id, 'one_time', true from product`,
  );
  await pool.query(
    `insert into price (id, offer_id, currency, amount_minor, is_base)
     select gen_random_uuid(), id, 'USD', 1900, true from offer`,
  );
  const { rows } = await pool.query<{ productId: string; offerId: string; priceId: string }>(
    `select o.product_id as "productId", o.id as "offerId", p.id as "priceId"
     from offer o join price p on p.offer_id = o.id order by 1`,
  );
  return rows;
}

async function untilSent({ pool }: Stage): Promise<void> {
  const unsent = 'select 1 from outbox where sent_at is null limit 1';
  while ((await pool.query(unsent)).rows.length > 0) await pause(100);
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Processor } from '../../clients/processor/processor.ts';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase, type Database } from '../../platform/database/database.ts';
import { newPublicId } from '../../domain/shared/ids.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { decideAttribution } from '../../domain/billing/checkout/attribution.ts';
import {
  attachSession,
  findOpenCheckout,
} from '../../domain/billing/checkout/checkout.repository.ts';
import { recordCheckout } from '../../domain/billing/checkout/record-checkout.repository.ts';
import { requestRefund } from '../../domain/billing/refunds/request-refund.repository.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import type { TestDatabase } from '../support/engines/database.ts';
import { requireInvariants } from '../support/money/invariants.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { CARDS, pay } from '../support/purchases/simulator.ts';
import { untilDone } from './until-done.ts';

type Parts = { testDatabase: TestDatabase; processor: Processor };
type Scene = Awaited<ReturnType<typeof addProduct>>;

const BUYERS = 4;
/** In turn: kept, sent back, half of it sent back. */
const REFUNDED = [0, 1, 0, 0.5];
const CARDS_IN_TURN = [CARDS.succeeds, CARDS.succeeds, CARDS.disputed];

/** Buys and refunds for as long as it is told to, whatever dies meanwhile; then judges every sale. */
export async function startSales({ testDatabase, processor }: Parts) {
  const options = { url: testDatabase.url, listenUrl: testDatabase.url, name: 'chaos' };
  const database = openDatabase({ ...options, entities: ENTITIES });
  const payoutAccount = await openReadyAccount(processor, 'seller@example.com');
  const sold: Scene[] = [];
  const closing = new AbortController();

  async function sell(number: number): Promise<void> {
    const scene = await untilDone(() => addProduct(testDatabase));
    sold.push(scene);
    const { purchaseId, url } = await openSale({ database, processor }, { scene, payoutAccount });
    await untilDone(() => payAt(url, CARDS_IN_TURN[number % CARDS_IN_TURN.length]!));
    const amountMinor = scene.price.amountMinor * REFUNDED[number % REFUNDED.length]!;
    if (amountMinor > 0) await refund(database, { purchaseId, amountMinor });
  }

  async function buy(): Promise<void> {
    while (!closing.signal.aborted) {
      await sell(sold.length);
      await pause(500);
    }
  }

  const buying = Promise.all(Array.from({ length: BUYERS }, buy));
  return {
    async close(): Promise<void> {
      closing.abort();
      await buying;
    },
    /** What is wrong with which sale; nothing in the end. */
    async findContradictions(): Promise<string[]> {
      const { pool } = database;
      const { query } = testDatabase;
      const validated = sold.map((scene) =>
        requireInvariants({ query, pool }, scene).then(
          () => [],
          (error: Error) => [error.message],
        ),
      );
      return (await Promise.all(validated)).flat();
    },
    count: () => sold.length,
    stop: () => database.close(),
  };
}

async function payAt(url: string, card: string): Promise<void> {
  const { status } = await pay(url, card);
  // It is paid now, or was by a try whose answer was lost.
  if (status !== 303 && status !== 409) throw new Error(`the payment was answered ${status}`);
}

async function openSale(
  { database, processor }: { database: Database; processor: Processor },
  { scene, payoutAccount }: { scene: Scene; payoutAccount: string },
): Promise<{ purchaseId: string; url: string }> {
  const { price, ...key } = scene;
  const intent = { ...key, price, attribution: decideAttribution(null) };
  const opened = await untilDone(async () => {
    const made = await database.transaction((em) => recordCheckout(em, intent));
    // The answer to a commit may have been lost: then it is open already.
    const open = made && !isRefusal(made) ? made : await findOpenCheckout(database.em(), key);
    if (!open) throw new Error('the checkout was not opened');
    return open;
  });
  const { checkoutId, purchaseId } = opened;
  const session = await untilDone(() =>
    processor.openCheckout({
      checkoutId,
      purchaseId,
      productName: 'P',
      amountMinor: price.amountMinor,
      currency: price.currency,
      customerEmail: 'buyer@example.com',
      payoutAccount,
      applicationFeeMinor: 190,
      applicationFeeBasisPoints: 1_000,
      recurring: null,
      successUrl: 'http://127.0.0.1:9/done',
      cancelUrl: 'http://127.0.0.1:9/',
    }),
  );
  await untilDone(() => database.transaction((em) => attachSession(em, checkoutId, session)));
  return { purchaseId, url: session.url };
}

/** Once there is something to refund; the same request twice is one. */
async function refund(
  database: Database,
  { purchaseId, amountMinor }: { purchaseId: string; amountMinor: number },
): Promise<void> {
  const refundId = newPublicId('re_');
  const request = {
    refundId,
    purchaseId,
    amountMinor,
    requestedBy: null,
    reason: 'duplicate',
  } as const;
  await untilDone(async () => {
    const asked = await database.transaction((em) => requestRefund(em, request));
    if (isRefusal(asked) && asked.refused === 'not_refundable') throw new Error('not yet paid');
  });
}

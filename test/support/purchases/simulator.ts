import type { RequestListener } from 'node:http';
import { createProcessor, type Processor } from '../../../clients/processor/processor.ts';
import { type OpenCheckoutInput } from '../../../clients/processor/checkout.ts';
import { listen } from '../../../platform/http-server.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';
import { startSimulator, type Simulator } from '../../../packages/simulator/main.ts';
import { createTestDatabase, wakingAfterSteps, type TestDatabase } from '../engines/database.ts';

export const CARDS = {
  succeeds: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  clearsLate: '4000 0000 0000 9999',
  needsAuthentication: '4000 0027 6000 3184',
  disputed: '4000 0000 0000 0259',
  inquired: '4000 0000 0000 1976',
  failsLate: '4000 0000 0000 9991',
  refundsLate: '4000 0000 0000 7726',
  refundFailsLate: '4000 0000 0000 5126',
  renewalsRecover: '4000 0000 0000 3410',
  renewalsFail: '4000 0000 0000 0341',
  renewalsRefused: '4000 0000 0000 9987',
};

export const WEBHOOK_SECRET = 'whsec_test';
const SECRET_KEY = 'sk_test_shop';

type Received = {
  type: string;
  checkoutId: string;
  rawBody: Buffer;
  signature: string | undefined;
};

type Receiver = {
  url: string;
  received: Received[];
  /** What it answers from now on. */
  answer: number;
  /** The next such event, or the one that has already come. */
  wait(type: string, checkoutId: string): Promise<Received>;
  /** Nothing listens any more, until it starts again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

export type Shop = {
  database: TestDatabase;
  processor: Processor;
  receiver: Receiver;
  url: string;
  secretKey: string;
  input(changes?: Partial<OpenCheckoutInput>): OpenCheckoutInput;
  restart(): Promise<void>;
  close(): Promise<void>;
};

async function startReceiver(): Promise<Receiver> {
  const waiting: { isMeant(event: Received): boolean; resolve(event: Received): void }[] = [];
  const received: Received[] = [];
  const handler: RequestListener = async (request, response) => {
    if (request.method === 'GET') return void response.end();
    const rawBody = Buffer.concat(await request.toArray());
    response.writeHead(receiver.answer).end();
    const signature = request.headers['stripe-signature']?.toString();
    const { type, data } = JSON.parse(rawBody.toString());
    // An invoice carries the words of its subscription elsewhere.
    const { metadata, parent } = data.object;
    const words = parent ? parent.subscription_details.metadata : metadata;
    const event = { type, checkoutId: words.checkout_id, rawBody, signature };
    received.push(event);
    for (const asked of waiting) if (asked.isMeant(event)) asked.resolve(event);
  };
  let listener = await listen(handler, { hosts: ['127.0.0.1'], port: 0 });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${listener.port}/events`,
    received,
    answer: 200,
    wait(type, checkoutId) {
      const isMeant = (event: Received) => event.type === type && event.checkoutId === checkoutId;
      const there = received.findLast(isMeant);
      return there
        ? Promise.resolve(there)
        : new Promise((resolve) => waiting.push({ isMeant, resolve }));
    },
    stop: () => listener.close(),
    async start() {
      listener = await listen(handler, { hosts: ['127.0.0.1'], port: listener.port });
    },
  };
  return receiver;
}

/** A simulator, the adapter that talks to it, and a receiver of its events, all over real HTTP. */
export async function startShop({ isWokenByClock = true } = {}): Promise<Shop> {
  const database = await createTestDatabase();
  const receiver = await startReceiver();
  const settings = {
    databaseUrl: database.ownUrl,
    hosts: ['127.0.0.1'],
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    webhookUrl: receiver.url,
    healthUrl: receiver.url,
    log: { format: 'json', level: 'silent' } as const,
  };
  let simulator: Simulator = await startSimulator({
    ...settings,
    port: 0,
    url: 'http://127.0.0.1:0',
  });
  const url = `http://127.0.0.1:${simulator.port}`;
  const processor = createProcessor({
    kind: 'simulator',
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    apiUrl: url,
  });
  const payoutAccount = await openReadyAccount(processor, 'builder@example.com');
  return {
    database: isWokenByClock ? wakingAfterSteps(database, () => simulator.wake()) : database,
    processor,
    receiver,
    url,
    secretKey: SECRET_KEY,
    input: (changes) => ({
      checkoutId: newUuid(),
      purchaseId: 'pay_01',
      productName: 'Pocket Synth',
      amountMinor: 1_250,
      currency: 'USD',
      customerEmail: 'buyer@example.com',
      payoutAccount,
      applicationFeeMinor: 125,
      applicationFeeBasisPoints: 1_000,
      recurring: null,
      successUrl: 'http://127.0.0.1:9/done?session={CHECKOUT_SESSION_ID}',
      cancelUrl: 'http://127.0.0.1:9/p/pocket-synth',
      ...changes,
    }),
    async restart() {
      await simulator.stop();
      simulator = await startSimulator({ ...settings, port: simulator.port, url });
    },
    async close() {
      await simulator.stop();
      await receiver.stop();
      await database.drop();
    },
  };
}

/** Submits the form of the hosted page. */
export function pay(
  pageUrl: string,
  cardNumber = CARDS.succeeds,
  changes: Record<string, string> = {},
): Promise<Response> {
  return fetch(pageUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      card_number: cardNumber,
      expiry: '12 / 34',
      cvc: '123',
      ...changes,
    }),
  });
}

import test from 'ava';
import pino from 'pino';
import { createMembershipActivities } from '../../activities/billing/membership.activities.ts';
import type { Services } from '../../activities/services.ts';
import { createProcessor, type Processor } from '../../clients/processor/processor.ts';
import { checkLedger } from '../../domain/billing/ledger/ledger-check.query.ts';
import { recordProcessorFee } from '../../domain/billing/purchases/payment.repository.ts';
import { eventually } from '../support/eventually.ts';
import { createKnobs } from '../support/purchases/knobs.ts';
import { openWorld, type World } from '../support/money/world.ts';
import { pay } from '../support/purchases/simulator.ts';
import { stubProcessor } from '../support/purchases/stub-processor.ts';
import { openAtProcessor } from '../support/subscriptions/becoming-member.ts';

let world: World;
test.before(async () => {
  world = await openWorld();
});
test.after.always(() => world.close());

/** 2.9 % of 9.99 USD and 30 cents. */
const FEE_MINOR = 59;

type ReadFee = Processor['readProcessorFee'];

/** Somebody who has paid for Member, and nobody of the platform has looked yet. */
async function pays() {
  const { shop, database } = world;
  const databases = { database, testDatabase: shop.database };
  const { membershipId, session } = await openAtProcessor(databases, shop);
  await pay(session.url);
  const asked: string[] = [];

  async function settle(read: ReadFee = shop.processor.readProcessorFee) {
    const readProcessorFee: ReadFee = (id) => {
      asked.push(id);
      return read(id);
    };
    const processor = { ...shop.processor, readProcessorFee };
    const logger = pino({ level: 'silent' });
    const services = { database, processor, logger } as Services;
    return createMembershipActivities(services).settleMembership({ membershipId });
  }

  const charges = () =>
    shop.database.query<{ id: string; status: string; fee: number | null }>(
      `select id, status, processor_fee_minor::int as fee from payment
       where membership_id = $1 order by created_at`,
      [membershipId],
    );
  return { membershipId, asked, settle, charges, fees: async () => (await charges()).map(feeOf) };
}

const feeOf = ({ fee }: { fee: number | null }) => fee;

test.serial('the fee of a charge is asked for once, when the charge is booked', async (t) => {
  const { settle, fees, asked, charges } = await pays();
  t.like(await settle(), { status: 'active' });
  t.deepEqual(await fees(), [FEE_MINOR]);
  await settle();
  t.is(asked.length, 1);
  const [charge] = await charges();
  const booked = await world.shop.database.query(
    'select account, amount_minor::int as amount from ledger_entry where payment_id = $1 order by 1',
    [charge!.id],
  );
  const whole = [
    { account: 'buyer', amount: -999 },
    { account: 'platform', amount: 999 },
  ];
  t.deepEqual(booked, whole, 'the ledger knows nothing of it');
  t.deepEqual(await checkLedger(world.database.em()), {});
});

test.serial('a renewal is asked about, and the charge before it is not again', async (t) => {
  const { settle, fees, asked } = await pays();
  await settle();
  await createKnobs(world.shop).passDays(31.1);
  const settled = async () => {
    await settle();
    return fees();
  };
  await eventually(settled, (known) => known.length === 2);
  t.deepEqual(await fees(), [FEE_MINOR, FEE_MINOR]);
  t.is(new Set(asked).size, 2);
  t.is(asked.length, 2);
});

test.serial('a fee that is not there yet is asked for at the next reading', async (t) => {
  const { settle, fees, asked } = await pays();
  await settle(async () => null);
  t.deepEqual(await fees(), [null]);
  await settle();
  t.deepEqual(await fees(), [FEE_MINOR]);
  t.is(asked.length, 2);
});

test.serial(
  'a charge is booked before its fee is asked for, and whatever comes of it',
  async (t) => {
    const { settle, charges, fees } = await pays();
    const { readProcessorFee } = createProcessor({
      kind: 'simulator',
      secretKey: 'sk_test_away',
      webhookSecret: 'whsec_away',
      apiUrl: 'http://127.0.0.1:1',
    });
    const seen: string[] = [];
    const state = await settle(async (id) => {
      seen.push(...(await charges()).map(({ status }) => status));
      return readProcessorFee(id);
    });
    t.is(state.status, 'active');
    t.deepEqual(seen, ['succeeded']);
    t.deepEqual(await fees(), [null]);
  },
);

test.serial('a fee that never becomes known is not asked for after 35 days', async (t) => {
  const { membershipId, settle, fees, asked } = await pays();
  const age = (days: number) =>
    world.shop.database.query(
      `update payment set created_at = gatehouse_now() - make_interval(days => $2)
       where membership_id = $1`,
      [membershipId, days],
    );
  await settle(async () => null);
  await age(34);
  await settle(async () => null);
  t.is(asked.length, 2);
  await age(36);
  t.like(await settle(), { status: 'active' });
  t.is(asked.length, 2);
  t.deepEqual(await fees(), [null]);
});

test.serial('a fee in another currency than the charge stays unknown', async (t) => {
  const { settle, fees } = await pays();
  const latest_charge = { balance_transaction: { currency: 'eur', fee: 54 } };
  const intent = { object: 'payment_intent', currency: 'usd', latest_charge };
  const { processor, close } = await stubProcessor(() => ({ status: 200, body: intent }));
  t.teardown(close);
  t.like(await settle(processor.readProcessorFee), { status: 'active' });
  t.deepEqual(await fees(), [null]);
});

test.serial('a fee that is known stays as it is', async (t) => {
  const { settle, fees, charges } = await pays();
  await settle();
  const [{ id: paymentId } = { id: '' }] = await charges();
  await recordProcessorFee(world.database.em(), { paymentId, feeMinor: 1 });
  t.deepEqual(await fees(), [FEE_MINOR]);
});

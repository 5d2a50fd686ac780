// Whatever the processor says, in whatever order it is read, applied, repeated or lost in a crash.
import test from 'ava';
import fc from 'fast-check';
import { checkLedger } from '../../../domain/selling/ledger/ledger.store.ts';
import { openTestDatabase } from '../../support/database.ts';
import { createSales, type Sale } from '../../support/sales.ts';

const { testDatabase, database, close } = await openTestDatabase();
const sales = createSales({ testDatabase, database });
test.after.always(close);

const GROSS = 1_900;

type Refund = { processorId: string; amountMinor: number; status: 'succeeded' | 'failed' };

/** What the processor knows of one payment. */
type World = {
  status: 'open' | 'clearing' | 'paid';
  refunds: Refund[];
  dispute: { status: 'warning' | 'open' | 'lost' | 'won'; amountMinor: number } | null;
};

const refunded = ({ refunds }: World) =>
  refunds.reduce(
    (sum, { status, amountMinor }) => sum + (status === 'failed' ? 0 : amountMinor),
    0,
  );

const disputed = ({ dispute }: World) => (dispute?.status === 'lost' ? dispute.amountMinor : 0);

type Step = (world: World, number: number) => void;

/** What happens at the processor; nothing where it cannot. */
const HAPPENINGS: Record<string, Step> = {
  clearing: (world) => void (world.status = world.status === 'open' ? 'clearing' : world.status),
  paid: (world) => void (world.status = 'paid'),
  refund(world, number) {
    const amountMinor = [GROSS, 900, 1_000][number % 3]!;
    const isLeft = world.status === 'paid' && refunded(world) + amountMinor <= GROSS;
    const processorId = `re_${world.refunds.length}`;
    if (isLeft) world.refunds.push({ processorId, amountMinor, status: 'succeeded' });
  },
  failRefund(world, number) {
    const refund = world.refunds[number % Math.max(1, world.refunds.length)];
    if (refund) refund.status = 'failed';
  },
  dispute(world, number) {
    const amountMinor = number % 2 === 0 ? GROSS : 500;
    if (world.status === 'paid') world.dispute ??= { status: 'open', amountMinor };
  },
  lose: (world) => void (world.dispute &&= { ...world.dispute, status: 'lost' }),
  win: (world) => void (world.dispute &&= { ...world.dispute, status: 'won' }),
};

type Apply = () => Promise<unknown>;

/** Asks the processor: what it says may be applied at once, later, more than once or never. */
const READINGS: Record<string, (sale: Sale, world: World) => Promise<Apply>> = {
  async checkout(sale, { status }) {
    const ticket = await sales.takeFor(sale);
    return () => sales.settle(sale, { status }, ticket);
  },
  async refunds(sale, { refunds }) {
    const ticket = await sales.ticketFor(sale);
    const facts = refunds.map((refund) => ({
      ...refund,
      processorId: `${refund.processorId}_${sale.purchaseId}`,
    }));
    return async () => ticket.payments.length > 0 && sales.tell(sale, facts, ticket);
  },
  async disputes(sale, { dispute }) {
    const ticket = await sales.takeFor(sale);
    const isKnown = (await sales.paymentOf(sale)) !== undefined;
    const fees = [{ feeMinor: 1_500, currency: 'USD' }];
    return async () => dispute && isKnown && sales.dispute(sale, { ...dispute, fees }, { ticket });
  },
};

const number = fc.nat(5);
const opOf = (...names: string[]) => fc.tuple(fc.constantFrom(...names), number);
const anyOp = opOf(...Object.keys(HAPPENINGS), ...Object.keys(READINGS), 'apply', 'applyAll');
const laterOp = fc.oneof(
  { weight: 2, arbitrary: opOf('refund', 'refund', 'failRefund', 'dispute', 'lose', 'win') },
  { weight: 2, arbitrary: opOf('refunds', 'disputes', 'checkout') },
  { weight: 1, arbitrary: opOf('apply', 'applyAll') },
);

const SOLD: [string, number][] = [
  ['paid', 0],
  ['checkout', 0],
  ['applyAll', 0],
];

/** From the start, or what comes after the sale. */
const story = fc.oneof(
  fc.array(anyOp, { maxLength: 30 }),
  fc.array(laterOp, { minLength: 6, maxLength: 30 }).map((ops) => [...SOLD, ...ops]),
);

async function play(sale: Sale, ops: [string, number][]): Promise<World> {
  const world: World = { status: 'open', refunds: [], dispute: null };
  const pending: Apply[] = [];
  for (const [name, number] of ops) {
    HAPPENINGS[name]?.(world, number);
    if (READINGS[name]) pending.push(await READINGS[name](sale, structuredClone(world)));
    if (name === 'apply') await pending[number % Math.max(1, pending.length)]?.();
    if (name === 'applyAll') await Promise.all(pending.map((apply) => apply()));
  }
  // In the end the processor is asked once more, as its actor and reconciliation see to.
  for (const reading of ['checkout', 'refunds', 'disputes']) {
    await (
      await READINGS[reading]!(sale, structuredClone(world))
    )();
  }
  return world;
}

async function statusOf(sale: Sale) {
  const purchase = await sales.purchaseOf(sale);
  const [grants] = await testDatabase.query<{ live: number }>(
    `select count(*)::int as live from access_grant
     where source = $1 and withdrawn_at is null`,
    [sale.purchaseId],
  );
  const names = await sales.eventNames(sale);
  return {
    status: String(purchase['status']),
    live: grants!.live,
    isActive: await sales.isActive(sale),
    completed: names.filter((name) => name === 'purchase.completed').length,
    access: names.filter((name) => name.startsWith('entitlement.')),
  };
}

test('whatever is read, applied, repeated and lost in whatever order: money in = orders + refunds, one live grant, each event once per change', async (t) => {
  await fc.assert(
    fc.asyncProperty(story, async (ops) => {
      const sale = await sales.newSale();
      const world = await play(sale, ops);
      const back = refunded(world) + disputed(world);
      const isPaid = world.status === 'paid';
      const isKept = isPaid && back < GROSS;
      const found = await statusOf(sale);
      const { buyer = 0 } = await sales.balances(sale);
      t.is(buyer, isPaid ? back - GROSS : 0);
      t.is(found.isActive, isKept);
      t.is(found.live, isKept ? 1 : 0);
      t.is(found.completed, isPaid ? 1 : 0);
      t.is(found.status === 'cleared', isKept);
      // In turn: opened, taken, opened again.
      const turns = found.access.map((_, at) =>
        at % 2 === 0 ? 'entitlement.created' : 'entitlement.refunded',
      );
      t.deepEqual(found.access, turns);
      t.is(found.access.length % 2 === 1, isKept);
    }),
    { numRuns: 60, endOnFailure: true },
  );
  t.deepEqual(await checkLedger(database.em()), {});
});

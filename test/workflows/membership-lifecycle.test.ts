import test from 'ava';
import { closeMembershipsOf } from '../../domain/billing/memberships/membership-billing.repository.ts';
import { cancelUpdate } from '../../workflows/contracts.ts';
import { startMembership } from '../support/subscriptions/becoming-member.ts';
import { eventually } from '../support/eventually.ts';
import { openMoneyStage, type MoneyStage } from '../support/purchases/money-stage.ts';
import {
  passHoursUnwatched,
  reconcileNow,
  untilNothingClears,
} from '../support/purchases/reconciling.ts';
import { CARDS } from '../support/purchases/simulator.ts';
import { INTERRUPTIONS } from '../support/webhooks/interrupting.ts';
import { startSubscription } from '../support/subscriptions/subscribing.ts';

let money: MoneyStage;
let shop: MoneyStage['shop'];
let stage: MoneyStage['stage'];

test.before(async () => {
  money = await openMoneyStage();
  ({ shop, stage } = money);
});
test.afterEach.always(() => money.endRenewals());
test.after.always(() => money?.close());

const DAY_MS = 86_400_000;

async function startPaid(card: string = CARDS.succeeds) {
  const story = await startMembership(stage, shop);
  await story.isWaiting(1);
  await story.pay(card);
  await story.tell('checkout.session.completed');
  await story.reaches('active');
  return { ...story, opened: await story.openProduct() };
}

test.serial('three months of Member, then cancelled: opened products hear of each', async (t) => {
  const story = await startPaid();
  for (let month = 1; month <= 2; month += 1) {
    await story.isWaiting(1 + month);
    await story.passDays(31);
    await eventually(story.payments, (paid) => paid.length === 1 + month);
  }
  await story.isWaiting(4);
  t.is(await story.handle.executeUpdate(cancelUpdate), 'requested');
  await story.hears(story.opened, 'entitlement.canceled');
  await story.isWaiting(5);
  await story.passDays(31);
  t.is(await story.result(), 'ended');
  t.deepEqual(await story.told(story.opened), [
    'entitlement.created',
    'entitlement.renewed',
    'entitlement.renewed',
    'entitlement.canceled',
    'entitlement.expired',
  ]);
  t.is((await story.payments()).length, 3);
});

test.serial(
  'every retry of a renewal fails: grace, then Member lapses and is told of',
  async (t) => {
    const story = await startPaid(CARDS.renewalsFail);
    const waits = await story.isWaiting(2);
    t.true(waits.at(-1)! > 28 * DAY_MS && waits.at(-1)! < 32 * DAY_MS);
    await story.passDays(waits.at(-1)! / DAY_MS + 0.01);
    await story.reaches('past_due');
    t.deepEqual(await story.told(story.opened), ['entitlement.created']);
    await story.isWaiting(3);
    await story.passDays(8);
    t.is(await story.result(), 'ended');
    t.deepEqual(await story.told(story.opened), ['entitlement.created', 'entitlement.expired']);
    t.false((await story.row()).is_closing);
  },
);

test.serial(
  'the processor says nothing for three days: the renewal of Member is found all the same',
  async (t) => {
    const story = await startPaid();
    await story.isWaiting(2);
    await story.passDays(34);
    const names = await story.hears(story.opened, 'entitlement.renewed');
    t.deepEqual(names, ['entitlement.created', 'entitlement.renewed']);
    t.is((await story.payments()).length, 2);
  },
);

test.serial('nobody pays: it ends with the session of its checkout', async (t) => {
  const story = await startMembership(stage, shop);
  await story.isWaiting(1);
  await story.passDays(1.1);
  t.is(await story.result(), 'ended');
  t.deepEqual(await story.payments(), []);
  await story.tell('checkout.session.expired');
  await eventually(story.unhandled, (unhandled) => unhandled === 0);
});

test.serial(
  'whoever leaves before they have paid: it is asked about until its session is over',
  async (t) => {
    const story = await startMembership(stage, shop);
    await story.isWaiting(1);
    await stage.database.transaction((em) => closeMembershipsOf(em, story.personId));
    t.is(await story.result(), 'ended');
    await passHoursUnwatched(stage, 25);
    await eventually(
      () => shop.processor.readCheckout(story.sessionId),
      ({ status }) => status === 'expired',
    );
    await reconcileNow(stage);
    await eventually(story.row, ({ ask_again_at: at }) => at === null);
    t.deepEqual(await story.payments(), []);
  },
);

test.serial(
  'whoever leaves while their money is on its way: it goes back, also when its coming is not told',
  async (t) => {
    const story = await startMembership(stage, shop);
    await story.isWaiting(1);
    await story.pay(CARDS.clearsLate);
    await story.tell('checkout.session.completed');
    await eventually(story.payments, ([payment]) => payment?.status === 'clearing');
    await stage.database.transaction((em) => closeMembershipsOf(em, story.personId));
    t.is(await story.result(), 'ended');
    await story.tell('customer.subscription.deleted');
    await eventually(story.unhandled, (unhandled) => unhandled === 0);
    await passHoursUnwatched(stage, 4 * 24);
    await untilNothingClears(stage);
    await reconcileNow(stage);
    await eventually(story.payments, ([payment]) => payment?.status === 'refunded');
    t.is((await story.row()).status, 'ended');
  },
);

/** All of the first charge, in the processor's dashboard. */
async function refundThere(story: Awaited<ReturnType<typeof startPaid>>): Promise<string> {
  const [payment] = await story.payments();
  await shop.processor.refund({
    refundId: `re_${story.membershipId}`,
    membershipId: story.membershipId,
    paymentIntentId: payment!.processorId,
    amountMinor: 999,
    currency: 'USD',
    reason: null,
  });
  await story.tell('refund.created', { intent: payment!.processorId });
  return payment!.processorId;
}

test.serial('the current charge refunded at the processor: over there too, and told', async (t) => {
  const story = await startPaid();
  await refundThere(story);
  t.is(await story.result(), 'ended');
  t.deepEqual(await story.told(story.opened), ['entitlement.created', 'entitlement.refunded']);
  const { processor_id: processorId } = await story.row();
  t.is((await shop.processor.readSubscription(processorId!)).status, 'ended');
});

test.serial(
  'a refund that fails days later: open again until the end of what was paid for, then over',
  async (t) => {
    const story = await startPaid(CARDS.refundFailsLate);
    const intent = await refundThere(story);
    t.is(await story.result(), 'ended');
    await passHoursUnwatched(stage, 4 * 24);
    await eventually(
      () => shop.processor.listRefunds(intent),
      ([refund]) => refund?.status === 'failed',
    );
    await story.tell('refund.failed', { intent });
    const names = ['entitlement.created', 'entitlement.refunded', 'entitlement.created'];
    await eventually(
      () => story.told(story.opened),
      (told) => told.length === names.length,
    );
    const waitDays = (await story.isWaiting(1)).at(-1)! / DAY_MS;
    t.true(waitDays > 23 && waitDays < 28, `${waitDays} days`);
    await story.passDays(waitDays + 0.01);
    t.is(await story.result(), 'ended');
    t.deepEqual(await story.told(story.opened), [...names, 'entitlement.expired']);
    t.like(await story.row(), { status: 'ended', is_closing: false });
    t.is((await story.payments()).length, 1);
  },
);

type Story = Pick<
  Awaited<ReturnType<typeof startSubscription>>,
  'workflowId' | 'handle' | 'reaches' | 'requestChange'
> & { names(): Promise<string[]> };

const KINDS: Record<'subscription' | 'membership', () => Promise<Story>> = {
  async subscription() {
    const story = await startSubscription(money.stage, money.shop);
    await story.isWaiting(1);
    return { ...story, names: story.events };
  },
  async membership() {
    const story = await startMembership(money.stage, money.shop);
    await story.isWaiting(1);
    await story.pay();
    await story.tell('checkout.session.completed');
    await story.reaches('active');
    const product = await story.openProduct();
    return { ...story, names: () => story.told(product) };
  },
};

/** What the run that was reset has answered, once it has answered so many. */
async function answers({ workflowId }: Story, count: number): Promise<unknown[]> {
  const { client } = money.stage;
  const read = async () => {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).flatMap(({ workflowExecutionUpdateCompletedEventAttributes: done }) => {
      const data = done?.outcome?.success?.payloads?.[0]?.data;
      return data ? [JSON.parse(Buffer.from(data).toString())] : [];
    });
  };
  return eventually(read, (found) => found.length >= count);
}

for (const kind of ['subscription', 'membership'] as const) {
  test.serial(`a ${kind} that was cancelled, resumed and reset keeps the last word`, async (t) => {
    const { stage } = money;
    const story = await KINDS[kind]();
    const row = async () => {
      const [found] = await stage.testDatabase.query<{
        status: string;
        requested_change: string | null;
      }>(`select status, requested_change from ${kind} where '${kind}:' || id = $1`, [
        story.workflowId,
      ]);
      return found!;
    };
    const asks = async () => {
      const sql = `select message->>'kind' as kind from outbox
        where workflow_id = $1 and message->>'kind' in ('cancel', 'resume') order by id`;
      const found = await stage.testDatabase.query<{ kind: string }>(sql, [story.workflowId]);
      return found.map((message) => message.kind);
    };
    t.is(await story.handle.executeUpdate(cancelUpdate), 'requested');
    await story.reaches('canceling');
    await story.requestChange('resume');
    await eventually(
      row,
      ({ status, requested_change }) => status === 'active' && requested_change === null,
    );
    const told = ['entitlement.canceled', 'entitlement.resumed'];
    const before = await eventually(story.names, (names) =>
      told.every((name) => names.includes(name)),
    );

    await INTERRUPTIONS.reset(stage.client, story.workflowId);
    t.deepEqual(await answers(story, 1), ['unchanged']);
    t.deepEqual(await row(), { status: 'active', requested_change: null });
    t.deepEqual(await asks(), ['cancel', 'resume']);
    t.deepEqual(await story.names(), before);
    t.is(await story.handle.executeUpdate(cancelUpdate), 'requested', 'a new one is accepted');
  });
}

import test from 'ava';
import { cancelUpdate, resumeUpdate } from '../../workflows/contracts.ts';
import { startMembership } from '../support/subscriptions/becoming-member.ts';
import { eventually } from '../support/eventually.ts';
import { INTERRUPTIONS } from '../support/webhooks/interrupting.ts';
import { openMoneyStage, type MoneyStage } from '../support/purchases/money-stage.ts';
import { startSubscription } from '../support/subscriptions/subscribing.ts';

let money: MoneyStage;

test.before(async () => {
  money = await openMoneyStage();
});
test.after.always(() => money?.close());

type Story = Pick<
  Awaited<ReturnType<typeof startSubscription>>,
  'workflowId' | 'handle' | 'reaches'
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
    t.is(await story.handle.executeUpdate(resumeUpdate), 'requested');
    await eventually(
      row,
      ({ status, requested_change }) => status === 'active' && requested_change === null,
    );
    const told = ['entitlement.canceled', 'entitlement.resumed'];
    const before = await eventually(story.names, (names) =>
      told.every((name) => names.includes(name)),
    );

    await INTERRUPTIONS.reset(stage.client, story.workflowId);
    t.deepEqual(await answers(story, 2), ['unchanged', 'unchanged']);
    t.deepEqual(await row(), { status: 'active', requested_change: null });
    t.deepEqual(await asks(), ['cancel', 'resume']);
    t.deepEqual(await story.names(), before);
    t.is(await story.handle.executeUpdate(cancelUpdate), 'requested', 'a new one is accepted');
  });
}

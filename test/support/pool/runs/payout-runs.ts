import { poolPayoutWorkflow } from '../../../../domain/outbox/workflow-targets.ts';
import { recordFoundOutcome } from '../../../../domain/pool/payout-lines/end-payout.repository.ts';
import {
  MOST_ATTEMPTS,
  waitAfterMs,
} from '../../../../domain/pool/payout-lines/transfer-schedule.ts';
import { openReadyAccount } from '../../../../packages/simulator/onboard.ts';
import { retryNowUpdate } from '../../../../workflows/contracts.ts';
import { passTime } from '../../engines/clock.ts';
import { untilWaiting } from '../../engines/temporal.ts';
import type { Stage } from '../../engines/worker.ts';
import { eventually } from '../../eventually.ts';
import { createKnobs } from '../../purchases/knobs.ts';
import type { Shop } from '../../purchases/simulator.ts';
import { addDuePayout, createPoolViews, type PoolOwner } from '../payouts.ts';

export type PayoutRow = {
  status: string;
  attempts: number;
  due_at: Date | null;
  last_error: string | null;
  is_outcome_unknown: boolean;
  transfer_id: string | null;
};

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const AMOUNT_MINOR = 12_345;

/** A payout of 123.45 EUR to an account of the simulator, and the workflow that makes it. */
export async function startPayout(stage: Stage, shop: Pick<Shop, 'processor'>) {
  const { client, database, testDatabase } = stage;
  const account = await openReadyAccount(shop.processor, 'creator@example.com');
  const due = await addDuePayout(
    { testDatabase, database },
    { amountMinor: AMOUNT_MINOR, account },
  );
  const { owner, periodId, payoutId } = due;
  const { workflowId } = poolPayoutWorkflow(payoutId);
  const handle = client.workflow.getHandle(workflowId);
  return {
    owner,
    account,
    periodId,
    payoutId,
    workflowId,
    handle,
    async row() {
      const sql = 'select * from pool_payout where id = $1';
      return (await testDatabase.query<PayoutRow>(sql, [payoutId]))[0]!;
    },
    reaches(isThere: (row: PayoutRow) => boolean) {
      return eventually(() => this.row(), isThere);
    },
    transfers: () => createPoolViews(testDatabase).transfersOf(payoutId),
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    /** Lets the wait after an attempt pass. */
    async passWait(attempts: number) {
      await this.isWaiting(attempts);
      await this.passMs(waitAfterMs(attempts)!);
    },
    /** And one second more. */
    passMs: (milliseconds: number) =>
      passTime(testDatabase, { client, workflowId, milliseconds: milliseconds + 1_000 }),
    /** As after so many attempts that failed. */
    jumpTo: (attempts: number) =>
      testDatabase.query('update pool_payout set attempts = $2 where id = $1', [
        payoutId,
        attempts,
      ]),
    /** Before the first message there is no workflow yet. */
    async result() {
      await this.reaches(({ status }) => status !== 'paying');
      return handle.result() as Promise<string>;
    },
  };
}

type Ended = { workflowId: string; result(): Promise<string> };
type Run = (stage: Stage, shop: Shop) => Promise<Ended>;

/** An operator records what the processor does not tell. */
export function recordOutcome(
  { database }: Pick<Stage, 'database'>,
  { owner, payoutId }: { owner: PoolOwner; payoutId: string },
  outcome: { is: 'paid'; transferId: string } | { is: 'not_paid'; reason: string },
): ReturnType<typeof recordFoundOutcome> {
  const by = { personId: owner.personId, ip: null };
  return database.transaction((em) => recordFoundOutcome(em, { payoutId, by, ...outcome }));
}

/** What is recorded of payouts. */
export const PAYOUT_RUNS: Record<string, Run> = {
  'payout-paid': (stage, shop) => startPayout(stage, shop),

  async 'payout-retried-twice'(stage, shop) {
    await createKnobs(shop).transfers('refuse', 2);
    const story = await startPayout(stage, shop);
    await story.passWait(1);
    await story.passWait(2);
    return story;
  },

  async 'payout-retried-now-by-an-update'(stage, shop) {
    await createKnobs(shop).transfers('refuse', 1);
    const story = await startPayout(stage, shop);
    await story.isWaiting(1);
    await story.handle.executeUpdate(retryNowUpdate, { args: [null] });
    return story;
  },

  async 'payout-refused-by-a-closed-account'(stage, shop) {
    const knobs = createKnobs(shop);
    await knobs.transfers('refuse', 1);
    const story = await startPayout(stage, shop);
    await story.isWaiting(1);
    await knobs.setAccount(story.account, 'closed');
    await story.passWait(1);
    return story;
  },

  async 'payout-ended-by-an-operator'(stage, shop) {
    await createKnobs(shop).transfers('drop', 2);
    const story = await startPayout(stage, shop);
    await story.isWaiting(1);
    const [transfer] = await story.transfers();
    await recordOutcome(stage, story, { is: 'paid', transferId: transfer!.id });
    return story;
  },

  async 'payout-given-up-after-its-last-attempt'(stage, shop) {
    const knobs = createKnobs(shop);
    await knobs.transfers('refuse', 1_000);
    const story = await startPayout(stage, shop);
    await story.isWaiting(1);
    await story.jumpTo(MOST_ATTEMPTS - 2);
    await story.passMs(MINUTE_MS);
    await story.isWaiting(2);
    await story.passMs(DAY_MS);
    await story.result();
    await knobs.transfers('make', 0);
    return story;
  },
};

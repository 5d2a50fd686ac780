import type { EntityManager } from '../../platform/database/database.ts';
import {
  applyAccountStatus,
  applyPayout,
  deadLetterAccountEvents,
  listAwaitedAccounts,
  listAwaitedPayouts,
  type AwaitedAccount,
  type AwaitedObject,
} from '../../domain/billing/processor-inbox/account-event.repository.ts';
import {
  findUnseenSpan,
  recordListedDisputes,
} from '../../domain/billing/processor-inbox/missed-dispute.repository.ts';
import { ProcessorFault } from '../../clients/processor/processor.ts';
import type { Services } from '../services.ts';
import { orDeadLetterBy } from './unknown-outcome.ts';

type Refresh<Reading> = {
  /** Names what is read, in the log. */
  subject: Record<string, string>;
  read(): Promise<Reading>;
  apply(em: EntityManager, reading: Reading | null): Promise<void>;
};

// The next run takes the rest: one more reading, of twice 6 seconds, fits into the activity's 30.
const MAX_DURATION_MS = 15_000;

/** Readings that belong to no purchase: while the processor is away, the next run tries again. */
export function createProcessorListActivities({ database, processor, logger }: Services) {
  async function refreshAccount(awaited: AwaitedAccount): Promise<void> {
    const { account } = awaited;
    await applyReading(awaited, {
      subject: { account },
      read: () => processor.readPayoutAccount(account),
      apply: (em, status) => applyAccountStatus(em, { processor: processor.kind, awaited, status }),
    });
  }

  async function refreshPayout(awaited: AwaitedObject): Promise<void> {
    const { account, objectId: payoutId } = awaited;
    await applyReading(awaited, {
      subject: { account, payoutId },
      read: () => processor.readPayout({ account, payoutId }),
      apply: (em, payout) => applyPayout(em, { processor: processor.kind, awaited, payout }),
    });
  }

  /** What is not ours is not read, and its events are handled. */
  async function applyReading<Reading>(
    { objectId, isOurs, eventIds }: AwaitedObject,
    { subject, read, apply }: Refresh<Reading>,
  ): Promise<void> {
    const events = { processor: processor.kind, eventIds, subject: objectId };
    const letter = {
      subject,
      deadLetter: (em: EntityManager, reason: string) =>
        deadLetterAccountEvents(em, { ...events, reason }),
    };
    await orDeadLetterBy({ database, logger }, letter, async () => {
      const reading = isOurs ? await read() : null;
      await database.transaction((em) => apply(em, reading));
    });
  }

  async function unlessAway(what: string, work: () => Promise<number>): Promise<number> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error;
      logger.warn({ what, reason: error.message }, 'the processor is asked again later');
      return 0;
    }
  }

  return {
    /** Reads payout accounts, and payouts, with unhandled events: one that fails holds up no other. */
    async refreshPayoutAccounts(): Promise<{ refreshed: number }> {
      const endsAt = performance.now() + MAX_DURATION_MS;
      const accounts = await listAwaitedAccounts(database.em(), processor.kind);
      const payouts = await listAwaitedPayouts(database.em(), processor.kind);
      const readings = [
        ...accounts.map((each) => ['a payout account', () => refreshAccount(each)] as const),
        ...payouts.map((each) => ['a payout', () => refreshPayout(each)] as const),
      ];
      let refreshed = 0;
      for (const [what, read] of readings) {
        if (performance.now() >= endsAt) break;
        refreshed += await unlessAway(what, () => read().then(() => 1));
      }
      return { refreshed };
    },

    /** Finds disputes without an event. */
    async findLostDisputes(): Promise<{ found: number }> {
      const found = await unlessAway('disputes', async () => {
        const span = await findUnseenSpan(database.em(), processor.kind);
        if (span === null) return 0;
        const listed = await processor.listDisputes(span);
        const { seenUntil } = span;
        const seen = { processor: processor.kind, listed, seenUntil };
        return database.transaction((em) => recordListedDisputes(em, seen));
      });
      return { found };
    },
  };
}

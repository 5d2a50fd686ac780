import type { EntityManager } from '../../platform/database/database.ts';
import {
  listAwaitedAccounts,
  deadLetterAccountEvents,
  applyAccountStatus,
  type AwaitedAccount,
} from '../../domain/billing/processor-inbox/account-event.repository.ts';
import {
  applyPayout,
  listAwaitedPayouts,
  type AwaitedPayout,
} from '../../domain/billing/processor-inbox/payout-event.repository.ts';
import {
  findUnseenSpan,
  recordListedDisputes,
} from '../../domain/billing/processor-inbox/lost-dispute.repository.ts';
import { ProcessorFault } from '../../clients/processor/processor.ts';
import type { Services } from '../index.ts';
import { orDeadLetterBy } from './unknown-outcome.ts';

/** Readings that belong to no purchase: while the processor is away, the next run tries again. */
export function createProcessorListActivities({ database, processor, logger }: Services) {
  async function follow(awaited: AwaitedAccount): Promise<void> {
    const { account, isOurs, eventIds } = awaited;
    const about = { processor: processor.kind, awaited };
    const events = { processor: processor.kind, eventIds, subject: account };
    const letter = {
      subject: { account },
      deadLetter: (em: EntityManager, reason: string) =>
        deadLetterAccountEvents(em, { ...events, reason }),
    };
    await orDeadLetterBy({ database, logger }, letter, async () => {
      const status = isOurs ? await processor.readPayoutAccount(account) : null;
      await database.transaction((em) => applyAccountStatus(em, { ...about, status }));
    });
  }

  async function followPayout(awaited: AwaitedPayout): Promise<void> {
    const { account, payoutId, isOurs, eventIds } = awaited;
    const about = { processor: processor.kind, awaited };
    const events = { processor: processor.kind, eventIds, subject: payoutId };
    const letter = {
      subject: { account, payoutId },
      deadLetter: (em: EntityManager, reason: string) =>
        deadLetterAccountEvents(em, { ...events, reason }),
    };
    await orDeadLetterBy({ database, logger }, letter, async () => {
      const payout = isOurs ? await processor.readPayout({ account, payoutId }) : null;
      await database.transaction((em) => applyPayout(em, { ...about, payout }));
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
    /** Reads payout accounts, and payouts, with unhandled events. */
    async refreshPayoutAccounts(): Promise<{ refreshed: number }> {
      const refreshed = await unlessAway('payout accounts', async () => {
        const awaited = await listAwaitedAccounts(database.em(), processor.kind);
        for (const each of awaited) await follow(each);
        const payouts = await listAwaitedPayouts(database.em(), processor.kind);
        for (const each of payouts) await followPayout(each);
        return awaited.length + payouts.length;
      });
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

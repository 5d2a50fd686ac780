import { recordPayout } from '../../catalog/ownership/payout-account.repository.ts';
import type { PayoutReading } from '../../catalog/ownership/payout-failure.ts';
import { withdrawAlerts } from '../../alerts/alert.repository.ts';
import { notifyOfFailedPayout } from '../notices/money-notices.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, ago } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { PAYOUT_EVENTS } from './event-type.ts';
import { inBody, markHandled } from './handled-event.repository.ts';

/** A payout with events that nobody has followed yet. */
export type AwaitedPayout = {
  account: string;
  payoutId: string;
  eventIds: string[];
  /** False for an account of another platform at the same processor, and for the platform's own. */
  isOurs: boolean;
};

const AT_ONCE = 50;

// As long as an event of an account waits for the account's row.
const EARLY = '1 hour';

/** Payouts with unhandled events, the longest waiting first. */
export async function listAwaitedPayouts(
  em: EntityManager,
  processor: string,
): Promise<AwaitedPayout[]> {
  return kysely(em)
    .selectFrom(({ selectFrom }) =>
      selectFrom('processorEvent')
        .leftJoin('payoutAccount', (join) =>
          join.on('payoutAccount.processorAccount', '=', inBody('account')),
        )
        .select(['processorEvent.id', 'processorEvent.receivedAt'])
        .select(({ eb, fn, val }) => [
          fn.coalesce(inBody('account'), val('')).as('account'),
          fn.coalesce(inBody('data,object,id'), val('')).as('payoutId'),
          eb('payoutAccount.id', 'is not', null).as('isOurs'),
        ])
        .where('processorEvent.processor', '=', processor)
        .where('processorEvent.type', '=', anyOf<string>(PAYOUT_EVENTS))
        .where('processorEvent.handledAt', 'is', null)
        .where('processorEvent.deadLetterReason', 'is', null)
        .where(({ eb, or }) =>
          or([
            eb('payoutAccount.id', 'is not', null),
            eb('processorEvent.receivedAt', '<', ago(EARLY)),
          ]),
        )
        .orderBy('processorEvent.receivedAt')
        .orderBy('processorEvent.id')
        .limit(1_000)
        .as('waiting'),
    )
    .select(({ fn }) => [
      'account',
      'payoutId',
      fn<string[]>('array_agg', ['id']).as('eventIds'),
      fn<boolean>('bool_or', ['isOurs']).as('isOurs'),
    ])
    .groupBy(['account', 'payoutId'])
    .orderBy(({ fn }) => fn.min('receivedAt'))
    .limit(AT_ONCE)
    .execute();
}

/** Applies the payout as it is now; null for one that is not ours. */
export async function applyPayout(
  em: EntityManager,
  applied: { processor: string; awaited: AwaitedPayout; payout: PayoutReading | null },
): Promise<void> {
  const { processor, awaited, payout } = applied;
  const { account, payoutId, eventIds } = awaited;
  const owner = payout && (await recordPayout(em, { account, payout }));
  if (owner && payout.status === 'failed') await notifyOfFailedPayout(em, { owner, payout });
  await markHandled(em, { processor, eventIds });
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: payoutId });
}

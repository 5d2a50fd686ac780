import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  recordPayoutStatus,
  type PayoutStatus,
} from '../../catalog/ownership/payout-account.repository.ts';
import { notifyOfPayouts } from '../notices/money-notices.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { ago } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { ACCOUNT_EVENT } from './event-type.ts';
import { inBody, markHandled, markDeadLettered } from './handled-event.repository.ts';

/** A payout account with an event, and the time of our reading. */
export type AwaitedAccount = {
  account: string;
  eventIds: string[];
  /** False for an account of another platform at the same processor. */
  isOurs: boolean;
  askedAt: Date;
};

const AT_ONCE = 50;

// An account's row is written a moment after the account is made; until then its event may be
// early.
const EARLY = '1 hour';

/** Accounts with unhandled events, the longest waiting first. */
export async function listAwaitedAccounts(
  em: EntityManager,
  processor: string,
): Promise<AwaitedAccount[]> {
  const found = await kysely(em)
    .selectFrom(({ selectFrom }) =>
      selectFrom('processorEvent')
        .leftJoin('payoutAccount', (join) =>
          join.on('payoutAccount.processorAccount', '=', ACCOUNT),
        )
        .select(['processorEvent.id', 'processorEvent.receivedAt'])
        .select(({ eb }) => [
          ACCOUNT.$castTo<string>().as('account'),
          eb('payoutAccount.id', 'is not', null).as('isOurs'),
        ])
        .where('processorEvent.processor', '=', processor)
        .where('processorEvent.type', '=', ACCOUNT_EVENT)
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
      fn<string[]>('array_agg', ['id']).as('eventIds'),
      fn<boolean>('bool_or', ['isOurs']).as('isOurs'),
    ])
    .groupBy('account')
    .orderBy(({ fn }) => fn.min('receivedAt'))
    .limit(AT_ONCE)
    .execute();
  const askedAt = await now(em);
  return found.map((awaited) => ({ ...awaited, askedAt }));
}

const ACCOUNT = inBody('data,object,id');

/** Applies the account's current status; null for an account that is not ours. */
export async function applyAccountStatus(
  em: EntityManager,
  applied: { processor: string; awaited: AwaitedAccount; status: PayoutStatus | null },
): Promise<void> {
  const { processor, awaited, status } = applied;
  const { account, askedAt, eventIds } = awaited;
  const before = status && (await recordPayoutStatus(em, { account, askedAt, ...status }));
  if (before) await notifyOfPayouts(em, { account, ...before, ...status });
  await markHandled(em, { processor, eventIds });
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: account });
}

/**
 * The processor refuses to speak of the account, or of its payout, or says what this code does not
 * understand.
 */
export async function deadLetterAccountEvents(
  em: EntityManager,
  letter: { processor: string; eventIds: string[]; subject: string; reason: string },
): Promise<void> {
  const { subject, reason } = letter;
  await markDeadLettered(em, letter);
  await raiseAlert(em, { kind: 'processor_state', subject, detail: { reason } });
}

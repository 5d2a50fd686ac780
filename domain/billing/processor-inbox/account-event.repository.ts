// Events of payout accounts and of their payouts.
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  recordPayout,
  recordPayoutStatus,
  type PayoutStatus,
} from '../../catalog/payouts/payout-account.repository.ts';
import type { PayoutReading } from '../../catalog/payouts/payout-failure.ts';
import { notifyOfFailedPayout, notifyOfPayouts } from '../notices/money-notices.repository.ts';
import { notifyOfReadyAccount } from '../product-subscriptions/subscription.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { ACCOUNT_EVENT, PAYOUT_EVENTS } from './event-type.ts';
import { markHandled, markDeadLettered, inBody } from './covered-events.repository.ts';
import { kysely } from '../../kysely.ts';

/** A payout account, and the time of our reading. */
export type AwaitedAccount = Awaited<ReturnType<typeof listAwaitedAccounts>>[number];

/** Accounts with unhandled events. */
export async function listAwaitedAccounts(em: EntityManager, processor: string) {
  const query = { processor, types: [ACCOUNT_EVENT], accountAt: 'data,object,id' };
  const found = await listAwaitedObjects(em, query);
  const askedAt = await now(em);
  return found.map((awaited) => ({ ...awaited, askedAt }));
}

/** Applies the account's current status; null for an account that is not ours. */
export async function applyAccountStatus(
  em: EntityManager,
  applied: { processor: string; awaited: AwaitedAccount; status: PayoutStatus | null },
): Promise<void> {
  const { processor, awaited, status } = applied;
  const { account, askedAt, eventIds } = awaited;
  const before = status && (await recordPayoutStatus(em, { account, askedAt, ...status }));
  if (before) await notifyOfPayouts(em, { account, ...before, ...status });
  if (before && !before.couldCharge && status.canCharge) await notifyOfReadyAccount(em, account);
  await markHandled(em, { processor, eventIds });
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: account });
}

/** Payouts with unhandled events. */
export function listAwaitedPayouts(em: EntityManager, processor: string) {
  return listAwaitedObjects(em, { processor, types: PAYOUT_EVENTS, accountAt: 'account' });
}

/** Applies the payout as it is now; null for one that is not ours. */
export async function applyPayout(
  em: EntityManager,
  applied: { processor: string; awaited: AwaitedObject; payout: PayoutReading | null },
): Promise<void> {
  const { processor, awaited, payout } = applied;
  const { account, objectId, eventIds } = awaited;
  const owner = payout && (await recordPayout(em, { account, payout }));
  if (owner && payout.status === 'failed') await notifyOfFailedPayout(em, { owner, payout });
  await markHandled(em, { processor, eventIds });
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: objectId });
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

/** An object of a payout account, or the account itself, with events that nobody has handled yet. */
export type AwaitedObject = Awaited<ReturnType<typeof listAwaitedObjects>>[number];

const AT_ONCE = 50;

// An account's row is written a moment after the account is made; until then its event may be
// early.
const EARLY = '1 hour';

type EventQuery = {
  processor: string;
  types: readonly string[];
  /** The place in the event's body that names the account. */
  accountAt: string;
};

/** The longest waiting first. */
async function listAwaitedObjects(em: EntityManager, { processor, types, accountAt }: EventQuery) {
  return kysely(em)
    .selectFrom(({ selectFrom }) =>
      selectFrom('processorEvent')
        .leftJoin('payoutAccount', (join) =>
          join.on('payoutAccount.processorAccount', '=', inBody(accountAt)),
        )
        .select(['processorEvent.id', 'processorEvent.receivedAt'])
        .select(({ eb, fn, val }) => [
          fn.coalesce(inBody(accountAt), val('')).as('account'),
          fn.coalesce(inBody('data,object,id'), val('')).as('objectId'),
          eb('payoutAccount.id', 'is not', null).as('isOurs'),
        ])
        .where('processorEvent.processor', '=', processor)
        .where('processorEvent.type', '=', anyOf(types))
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
      'objectId',
      fn<string[]>('array_agg', ['id']).as('eventIds'),
      // Not for an account of another platform at the same processor, nor for the platform's own.
      fn<boolean>('bool_or', ['isOurs']).as('isOurs'),
    ])
    .groupBy(['account', 'objectId'])
    .orderBy(({ fn }) => fn.min('receivedAt'))
    .limit(AT_ONCE)
    .execute();
}

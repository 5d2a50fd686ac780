import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  recordPayoutStatus,
  type PayoutStatus,
} from '../../catalog/ownership/payout-account.repository.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { ACCOUNT_EVENT } from './event-type.ts';
import { markHandled, markDeadLettered } from './handled-event.repository.ts';

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
const EARLY = `interval '1 hour'`;

const WAITING = `type = '${ACCOUNT_EVENT}' and handled_at is null and dead_letter_reason is null`;

/** Accounts with unhandled events, the longest waiting first. */
export async function listAwaitedAccounts(
  em: EntityManager,
  processor: string,
): Promise<AwaitedAccount[]> {
  const found = await rows<Omit<AwaitedAccount, 'askedAt'>>(
    em,
    `select account, array_agg(id) as "eventIds", bool_or(is_ours) as "isOurs" from (
       select e.id, e.received_at, e.body #>> '{data,object,id}' as account,
         a.id is not null as is_ours
       from processor_event e
       left join payout_account a on a.processor_account = e.body #>> '{data,object,id}'
       where e.processor = ? and e.${WAITING}
         and (a.id is not null or e.received_at < gatehouse_now() - ${EARLY})
       order by e.received_at, e.id limit 1000
     ) waiting group by account order by min(received_at) limit ${AT_ONCE}`,
    [processor],
  );
  const askedAt = await now(em);
  return found.map((awaited) => ({ ...awaited, askedAt }));
}

/** Applies the account's current status; null for an account that is not ours. */
export async function settleAccount(
  em: EntityManager,
  settled: { processor: string; awaited: AwaitedAccount; status: PayoutStatus | null },
): Promise<void> {
  const { processor, awaited, status } = settled;
  const { account, askedAt, eventIds } = awaited;
  if (status) await recordPayoutStatus(em, { account, askedAt, ...status });
  await markHandled(em, { processor, eventIds });
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: account });
}

/** The processor refuses to speak of it, or says what this code does not understand. */
export async function deadLetterAccountEvents(
  em: EntityManager,
  letter: { processor: string; awaited: AwaitedAccount; reason: string },
): Promise<void> {
  const { processor, awaited, reason } = letter;
  const { account, eventIds } = awaited;
  await markDeadLettered(em, { processor, eventIds, reason });
  await raiseAlert(em, { kind: 'processor_state', subject: account, detail: { reason } });
}

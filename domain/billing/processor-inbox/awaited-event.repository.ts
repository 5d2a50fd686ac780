import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { inBody } from './handled-event.repository.ts';

/** An object of a payout account, or the account itself, with events that nobody has handled yet. */
export type AwaitedObject = {
  account: string;
  objectId: string;
  eventIds: string[];
  /** False for an account of another platform at the same processor, and for the platform's own. */
  isOurs: boolean;
};

const AT_ONCE = 50;

// An account's row is written a moment after the account is made; until then its event may be
// early.
const EARLY = '1 hour';

type Asked = {
  processor: string;
  types: readonly string[];
  /** Where the event's body names the account. */
  accountAt: string;
};

/** The longest waiting first. */
export async function listAwaitedObjects(
  em: EntityManager,
  { processor, types, accountAt }: Asked,
): Promise<AwaitedObject[]> {
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
      fn<boolean>('bool_or', ['isOurs']).as('isOurs'),
    ])
    .groupBy(['account', 'objectId'])
    .orderBy(({ fn }) => fn.min('receivedAt'))
    .limit(AT_ONCE)
    .execute();
}

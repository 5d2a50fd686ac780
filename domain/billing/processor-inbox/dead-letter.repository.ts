import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { PAYMENT_NOT_RECEIVED, RETURN_EVENTS, SUBSCRIPTION_EVENTS } from './event-type.ts';
import { IS_DUE, NAMED } from './early-event.repository.ts';
import { tellActor, type Meant } from './inbox.repository.ts';
import { withdrawOverAlerts } from './resolve-alerts.repository.ts';

export type EventKey = { processor: string; id: string };

type DeadLetterLine = EventKey & {
  type: string;
  purchaseId: string | null;
  reason: string;
  receivedAt: Date;
};

/** `next` is the last one shown, where older ones follow. */
export type DeadLetterPage = { lines: DeadLetterLine[]; next: string | null };

const SUBSCRIPTION_TYPES = toArrayParameter(SUBSCRIPTION_EVENTS);
const RETURN_TYPES = toArrayParameter(RETURN_EVENTS);

const PAGE = 50;
const COLUMNS = `processor, id, type, purchase_id as "purchaseId", dead_letter_reason as reason,
  received_at as "receivedAt"`;

/** What waits for somebody to decide, the newest first. */
export async function listDeadLetters(
  em: EntityManager,
  before: string | null,
): Promise<DeadLetterPage> {
  const found = await rows<DeadLetterLine>(
    em,
    `select ${COLUMNS} from processor_event
     where dead_letter_reason is not null and handled_at is null
       and (?::text is null or (received_at, id) < (
         select received_at, id from processor_event where id = ? limit 1))
     order by received_at desc, id desc limit ?`,
    [before, before, PAGE + 1],
  );
  const lines = found
    .slice(0, PAGE)
    .map((line) => ({ ...line, receivedAt: new Date(line.receivedAt) }));
  return { lines, next: found.length > PAGE ? lines.at(-1)!.id : null };
}

export type DeadLetter = Omit<DeadLetterLine, 'reason'> & {
  /** Null once it was followed after all. */
  reason: string | null;
  body: unknown;
  isWaiting: boolean;
  setAside: { at: Date; by: string; note: string } | null;
};

type Row = Omit<DeadLetter, 'setAside'> & { setAt: Date | null; by: string; note: string };

/** Finds one event with its content; null for an unknown id. */
export async function findProcessorEvent(
  em: EntityManager,
  { processor, id }: EventKey,
): Promise<DeadLetter | null> {
  const [row] = await rows<Row>(
    em,
    `select ${COLUMNS}, body, handled_at is null and dead_letter_reason is not null as "isWaiting",
       set_aside_at as "setAt", set_aside_note as note,
       (select handle from person where person.id = set_aside_by) as by
     from processor_event where processor = ? and id = ?`,
    [processor, id],
  );
  if (!row) return null;
  const { setAt, by, note, ...event } = row;
  const setAside = setAt === null ? null : { at: new Date(setAt), by, note };
  return { ...event, receivedAt: new Date(row.receivedAt), setAside };
}

/** Hands a dead-lettered event to its purchase's actor once more; refused where it cannot be. */
export async function tryEventAgain(
  em: EntityManager,
  { processor, id }: EventKey,
): Promise<Refusal<'unchanged' | 'unknown_purchase'> | null> {
  const [event] = await rows<Omit<Meant, 'subscriptionId'>>(
    em,
    `select coalesce(e.purchase_id, named.purchase_id) as "purchaseId",
       coalesce(e.membership_id, named.membership_id) as "membershipId"
     from processor_event e left join lateral (${NAMED}) named on true
     where e.processor = ? and e.id = ? and e.dead_letter_reason is not null and e.handled_at is null
     limit 1 for update of e`,
    [processor, id],
  );
  if (!event) return refuse('unchanged');
  const { purchaseId, membershipId } = event;
  if (purchaseId === null && membershipId === null) return refuse('unknown_purchase');
  const [tried] = await rows<{ subscriptionId: string | null }>(
    em,
    `update processor_event e set purchase_id = ?, membership_id = ?, subscription_id =
       (select id from subscription where purchase_id = ? and type = any(?::text[])),
       dead_letter_reason = case when not ${IS_DUE} then '${PAYMENT_NOT_RECEIVED}' end
     where processor = ? and id = ? returning subscription_id as "subscriptionId"`,
    [purchaseId, membershipId, purchaseId, SUBSCRIPTION_TYPES, RETURN_TYPES, processor, id],
  );
  await tellActor(em, { ...event, ...tried! }, 'tried_again');
  await withdrawOverAlerts(em, ['event_dead_lettered']);
  return null;
}

/** False when the event does not wait any more: of two operators at once, one decides. */
export async function setEventAside(
  em: EntityManager,
  { processor, id, personId, note }: EventKey & { personId: string; note: string },
): Promise<boolean> {
  const decided = await rows(
    em,
    `update processor_event set handled_at = gatehouse_now(), set_aside_at = gatehouse_now(),
       set_aside_by = ?, set_aside_note = ?
     where processor = ? and id = ? and dead_letter_reason is not null and handled_at is null
     returning 1`,
    [personId, note, processor, id],
  );
  if (decided.length === 1) await withdrawOverAlerts(em, ['event_dead_lettered']);
  return decided.length === 1;
}

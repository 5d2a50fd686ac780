import { purchaseActor } from '../../platform/outbox/actors.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { sendToActor } from '../../platform/outbox/outbox.store.ts';
import { refuse, type Refusal } from '../../platform/refusal.ts';

export type EventKey = { processor: string; id: string };

type ParkedLine = EventKey & {
  type: string;
  purchaseId: string | null;
  reason: string;
  receivedAt: Date;
};

/** `next` is the last one shown, where older ones follow. */
export type ParkedPage = { lines: ParkedLine[]; next: string | null };

const PAGE = 50;
const COLUMNS = `processor, id, type, purchase_id as "purchaseId", parked_reason as reason,
  received_at as "receivedAt"`;

/** What waits for somebody to decide, the newest first. */
export async function listParkedEvents(
  em: EntityManager,
  before: string | null,
): Promise<ParkedPage> {
  const found = await rows<ParkedLine>(
    em,
    `select ${COLUMNS} from processor_event
     where parked_reason is not null and handled_at is null
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

export type ParkedEvent = Omit<ParkedLine, 'reason'> & {
  /** Null once it was followed after all. */
  reason: string | null;
  body: unknown;
  isWaiting: boolean;
  setAside: { at: Date; by: string; note: string } | null;
};

type Row = Omit<ParkedEvent, 'setAside'> & { setAt: Date | null; by: string; note: string };

/** One event with all that it says; null for one that nobody knows. */
export async function findProcessorEvent(
  em: EntityManager,
  { processor, id }: EventKey,
): Promise<ParkedEvent | null> {
  const [row] = await rows<Row>(
    em,
    `select ${COLUMNS}, body, handled_at is null and parked_reason is not null as "isWaiting",
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

/** Hands a parked event to its purchase's actor once more; refused where it cannot be. */
export async function tryEventAgain(
  em: EntityManager,
  { processor, id }: EventKey,
): Promise<Refusal<'unchanged' | 'unknown_purchase'> | null> {
  const [event] = await rows<{ purchaseId: string | null }>(
    em,
    `select coalesce(e.purchase_id, p.id, y.purchase_id) as "purchaseId"
     from processor_event e
     left join purchase p on p.id = e.body #>> '{data,object,metadata,purchase_id}'
     left join payment y on y.processor_id in (
       e.body #>> '{data,object,payment_intent}', e.body #>> '{data,object,id}')
     where e.processor = ? and e.id = ? and e.parked_reason is not null and e.handled_at is null
     limit 1 for update of e`,
    [processor, id],
  );
  if (!event) return refuse('unchanged');
  if (event.purchaseId === null) return refuse('unknown_purchase');
  await rows(
    em,
    `update processor_event set parked_reason = null, purchase_id = ?
     where processor = ? and id = ?`,
    [event.purchaseId, processor, id],
  );
  await sendToActor(em, purchaseActor(event.purchaseId), { kind: 'tried_again' });
  return null;
}

/** False for one that waits for nobody any more: of two operators at once, one decides. */
export async function setEventAside(
  em: EntityManager,
  { processor, id, personId, note }: EventKey & { personId: string; note: string },
): Promise<boolean> {
  const decided = await rows(
    em,
    `update processor_event set handled_at = gatehouse_now(), set_aside_at = gatehouse_now(),
       set_aside_by = ?, set_aside_note = ?
     where processor = ? and id = ? and parked_reason is not null and handled_at is null
     returning 1`,
    [personId, note, processor, id],
  );
  return decided.length === 1;
}

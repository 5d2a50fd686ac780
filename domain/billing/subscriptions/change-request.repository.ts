// What its person, or an operator, asks of a subscription or a membership. The row decides; its actor applies it.
import { membershipActor, subscriptionActor, type Actor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { ASKED_SOON } from '../processor-inbox/reconcile-schedule.ts';

export type RequestedChange = 'cancel' | 'resume';

/** In SQL: where the request changes something, or takes back one that is not applied yet. */
const ALLOWED: Record<RequestedChange, string> = {
  cancel: `status in ('active', 'past_due') and requested_change is distinct from 'cancel'
    or status = 'canceling' and requested_change = 'resume'`,
  // What is not paid for is not resumed: first the card, then the renewal.
  resume: `status = 'canceling' and requested_change is distinct from 'resume' and grace_ends_at is null
      and cancel_at > gatehouse_now()
    or status in ('active', 'past_due') and requested_change = 'cancel'`,
};

/** SQL: a membership without terms was given, and the processor does not have it. */
const IS_CHARGED = { subscription: 'true', membership: 'price_id is not null' } as const;

export type ChangeRequest = ({ subscriptionId: string } | { membershipId: string }) & {
  change: RequestedChange;
  /** Of an Update of its workflow, which may come again. */
  updateId?: string;
};

type Renewed = { table: 'subscription' | 'membership'; id: string; actor: Actor };

/** Of two clicks one decides: the other one is refused, as is what comes too late. */
export async function requestChange(
  em: EntityManager,
  request: ChangeRequest,
): Promise<{ changeNumber: number } | Refusal<'unchanged'>> {
  const { change, updateId } = request;
  const renewed = find(request);
  const { table, id, actor } = renewed;
  if (updateId !== undefined && !(await isNew(em, renewed, updateId))) return refuse('unchanged');
  const [asked] = await rows<{ changeNumber: number }>(
    em,
    `update ${table} set requested_change = ?, change_number = change_number + 1, ${ASKED_SOON}
     where id = ? and ${IS_CHARGED[table]} and (${ALLOWED[change]})
     returning change_number as "changeNumber"`,
    [change, id],
  );
  if (!asked) return refuse('unchanged');
  await sendToActor(em, actor, { kind: change });
  return asked;
}

const REMEMBERED = 100;

/** False for an Update that the row has seen, even without an effect. */
async function isNew(
  em: EntityManager,
  { table, id }: Renewed,
  updateId: string,
): Promise<boolean> {
  const noted = await rows(
    em,
    `update ${table} set seen_updates = (array_append(seen_updates, ?::text))
       [greatest(1, cardinality(seen_updates) + 2 - ${REMEMBERED}):]
     where id = ? and not (?::text = any(seen_updates)) returning 1`,
    [updateId, id, updateId],
  );
  return noted.length === 1;
}

function find(request: ChangeRequest): Renewed {
  if ('subscriptionId' in request) {
    const { subscriptionId: id } = request;
    return { table: 'subscription', id, actor: subscriptionActor(id) };
  }
  const { membershipId: id } = request;
  return { table: 'membership', id, actor: membershipActor(id) };
}

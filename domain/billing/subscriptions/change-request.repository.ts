// Change requests of subscribers and operators. The row decides, and the workflow applies the
// request.
import { membershipActor, subscriptionActor, type Actor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { ASKED_SOON } from '../processor-inbox/unresolved.ts';

export type Wish = 'cancel' | 'resume';

/** SQL: the request changes something, or takes back a request that is not applied yet. */
const ALLOWED: Record<Wish, string> = {
  cancel: `status in ('active', 'past_due') and wish is distinct from 'cancel'
    or status = 'canceling' and wish = 'resume'`,
  // The open charge is paid first, then the subscription is resumed.
  resume: `status = 'canceling' and wish is distinct from 'resume' and grace_ends_at is null
      and cancel_at > gatehouse_now()
    or status in ('active', 'past_due') and wish = 'cancel'`,
};

/** SQL: a membership without terms was given, and the processor does not have it. */
const IS_CHARGED = { subscription: 'true', membership: 'price_id is not null' } as const;

export type Wished = ({ subscriptionId: string } | { membershipId: string }) & {
  wish: Wish;
  /** The id of a workflow's Update, which may come again. */
  updateId?: string;
};

type Renewed = { table: 'subscription' | 'membership'; id: string; actor: Actor };

/** Of two clicks one decides; the other, and a late request, is refused. */
export async function wishFor(
  em: EntityManager,
  wished: Wished,
): Promise<{ wishNumber: number } | Refusal<'unchanged'>> {
  const { wish, updateId } = wished;
  const renewed = find(wished);
  const { table, id, actor } = renewed;
  if (updateId !== undefined && !(await isNew(em, renewed, updateId))) return refuse('unchanged');
  const [asked] = await rows<{ wishNumber: number }>(
    em,
    `update ${table} set wish = ?, wish_number = wish_number + 1, ${ASKED_SOON}
     where id = ? and ${IS_CHARGED[table]} and (${ALLOWED[wish]})
     returning wish_number as "wishNumber"`,
    [wish, id],
  );
  if (!asked) return refuse('unchanged');
  await sendToActor(em, actor, { kind: wish });
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

function find(wished: Wished): Renewed {
  if ('subscriptionId' in wished) {
    const { subscriptionId: id } = wished;
    return { table: 'subscription', id, actor: subscriptionActor(id) };
  }
  const { membershipId: id } = wished;
  return { table: 'membership', id, actor: membershipActor(id) };
}

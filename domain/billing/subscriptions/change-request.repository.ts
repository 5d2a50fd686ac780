// What its person, or an operator, wants of what is renewed. The row decides; its actor carries it out.
import { membershipActor, subscriptionActor, type Actor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { ASKED_SOON } from '../processor-inbox/unresolved.ts';

export type Wish = 'cancel' | 'resume';

/** In SQL: where the wish changes something, or takes back one that is not carried out yet. */
const ALLOWED: Record<Wish, string> = {
  cancel: `status in ('active', 'past_due') and wish is distinct from 'cancel'
    or status = 'canceling' and wish = 'resume'`,
  // What is not paid for is not resumed: first the card, then the renewal.
  resume: `status = 'canceling' and wish is distinct from 'resume' and grace_ends_at is null
      and cancel_at > gatehouse_now()
    or status in ('active', 'past_due') and wish = 'cancel'`,
};

/** In SQL: a membership without terms was given, and the processor knows nothing of it. */
const IS_CHARGED = { subscription: 'true', membership: 'price_id is not null' } as const;

export type Wished = ({ subscriptionId: string } | { membershipId: string }) & {
  wish: Wish;
  /** Of an Update of its workflow, which may come again. */
  updateId?: string;
};

type Renewed = { table: 'subscription' | 'membership'; id: string; actor: Actor };

/** Of two clicks one decides: the other one is refused, as is what comes too late. */
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

/** False for an Update that the row has seen, also where it changed nothing then. */
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

// The ways in which Gatehouse ends a subscription. It ends here at once, its workflow ends it at
// the processor for as long as that takes, and later charges are refunded.
import { subscriptionActor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';

/** Only what was never settled at the processor has nothing to be closed there. */
const CLOSE = `set status = 'ended', ended_at = coalesce(ended_at, gatehouse_now()), requested_change = null,
  is_closing = processor_id is not null, ask_again_at = gatehouse_now() + interval '1 hour'`;

type Closed = { id: string };

export async function closeSubscription(em: EntityManager, id: string): Promise<void> {
  await tell(
    em,
    await rows<Closed>(em, `update subscription ${CLOSE} where id = ? returning id`, [id]),
  );
}

/** Ends the subscriptions of a deleted account; a checkout of this moment never begins one. */
export async function closeSubscriptionsOf(em: EntityManager, personId: string): Promise<void> {
  await tell(
    em,
    await rows<Closed>(
      em,
      `update subscription ${CLOSE} where id in (
         select id from subscription where person_id = ? and status <> 'ended'
         order by id for update) returning id`,
      [personId],
    ),
  );
}

const BATCH = 100;

/** Ends one batch of subscriptions to removed products and returns their number. */
export async function closeSubscriptionsOfRemoved(em: EntityManager): Promise<number> {
  const closed = await rows<Closed>(
    em,
    `update subscription ${CLOSE} where id in (
       select s.id from product p join subscription s on s.product_id = p.id
       where p.state = 'removed' and s.status <> 'ended'
       order by s.id limit ${BATCH} for update of s) returning id`,
  );
  await tell(em, closed);
  return closed.length;
}

async function tell(em: EntityManager, closed: Closed[]): Promise<void> {
  for (const { id } of closed) await sendToActor(em, subscriptionActor(id), { kind: 'close' });
}

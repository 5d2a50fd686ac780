import type { SubscriptionState } from '../../../clients/processor/subscriptions.ts';
import type { OpenCheckoutInput } from '../../../clients/processor/checkout.ts';
import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { eventually } from '../eventually.ts';
import { createKnobs } from './knobs.ts';
import { pay, type Shop } from './simulator.ts';

const SECONDS_OF_A_DAY = 86_400;

type Order = { card?: string; interval?: 'month' | 'year' } & Partial<OpenCheckoutInput>;

/** Somebody who has subscribed through the hosted page, and what the processor says of it. */
export async function subscribe(shop: Shop, { card, interval = 'month', ...order }: Order = {}) {
  const purchaseId = newPublicId('pay_');
  const input = shop.input({ purchaseId, recurring: { interval }, ...order });
  const checkout = await shop.processor.openCheckout(input);
  await pay(checkout.url, card);
  const { subscriptionId } = await shop.processor.readCheckout(checkout.sessionId);
  if (subscriptionId === null) throw new Error('nothing has begun');
  const read = () => shop.processor.readSubscription(subscriptionId);
  return {
    ...input,
    sessionId: checkout.sessionId,
    subscriptionId,
    read,
    /**
     * What it has become once the simulator has done its work. A reading is several calls: the one that
     * sees a renewal may have begun before it, so the next one is told.
     */
    async until(isDone: (reading: SubscriptionState) => boolean) {
      await eventually(read, isDone);
      return read();
    },
    /** What the simulator has sent, the oldest first. */
    events: async () =>
      (
        await shop.database.query<{ type: string }>(
          `select body::jsonb ->> 'type' as type from simulator.event
           where body::jsonb #>> '{data,object,id}' = $1
             or body::jsonb #>> '{data,object,parent,subscription_details,subscription}' = $1
           order by number`,
          [subscriptionId],
        )
      ).map(({ type }) => type),
    cancelAtPeriodEnd: (isCancel: boolean) =>
      shop.processor.cancelAtPeriodEnd({ subscriptionId, key: newUuid(), isCancel }),
    cancel: () => shop.processor.cancelSubscription({ subscriptionId, key: newUuid() }),
    openCardUpdate: () =>
      shop.processor.openCardUpdate({
        subscriptionId,
        returnUrl: 'http://127.0.0.1:9/back',
        key: newUuid(),
      }),
  };
}

export type Subscribed = Awaited<ReturnType<typeof subscribe>>;

/** The clock of the processor, moved on to an instant that it has not reached. */
export function createCalendar(shop: Shop) {
  const now = async () => {
    const [row] = await shop.database.query<{ at: Date }>('select simulator.now() as at');
    return row!.at;
  };
  return {
    now,
    async goTo(instant: Date) {
      const seconds = Math.ceil((instant.getTime() - (await now()).getTime()) / 1_000);
      if (seconds < 0) throw new Error(`${instant.toISOString()} is over`);
      await createKnobs(shop).passDays(seconds / SECONDS_OF_A_DAY);
    },
    passDays: (days: number) => createKnobs(shop).passDays(days),
    /** All has happened that was due. */
    isQuiet: () =>
      eventually(
        async () =>
          shop.database.query(
            `select id from simulator.subscription
             where status <> 'canceled' and period_end <= simulator.now()
             union all select id from simulator.invoice where next_attempt_at <= simulator.now()`,
          ),
        (due) => due.length === 0,
      ),
  };
}

/** `2027-01-31`, in UTC. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

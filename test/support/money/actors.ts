import { now } from '../../../platform/database/database.ts';
import { Mishappened, type Mishap } from './interference.ts';
import type { World } from './world.ts';

/** What workflows, the outbox publisher and the schedule do, one step at a time and without Temporal. */
export function createActors(world: World) {
  const { database, activities, interference } = world;
  const settlements = createSettlements(world);
  const underWay = new Set<Promise<void>>();
  const timers = createTimers(async () => (await now(database.em())).getTime());

  /** One round of the workflow: at a message, or when its wait is over. */
  async function settle(workflowId: string): Promise<void> {
    const [kind = '', id = '', of = ''] = workflowId.split(':');
    // An activity that broke off is tried again.
    await timers.set(workflowId, 0);
    await timers.set(workflowId, await settlements[kind]!(id, of));
  }

  async function settleUnlessKilled(workflowId: string): Promise<void> {
    await settle(workflowId).catch(ignoreMishap);
  }

  const takeMessages = () => takeSent(world, Object.keys(settlements));

  return {
    /** With an answer that is late the others go on meanwhile, until `release`. */
    async follow(workflowId: string, mishap: Mishap | null): Promise<void> {
      interference.next(mishap);
      const settling = settleUnlessKilled(workflowId);
      if (mishap !== 'late') return settling;
      underWay.add(settling);
      await Promise.race([settling, interference.untilHeld()]);
    },

    /** An activity that timed out may still run beside those that took its place, and beside others. */
    crowd(workflowIds: string[]): Promise<unknown> {
      interference.next(null);
      return Promise.all(workflowIds.map(settle));
    },

    async release(): Promise<void> {
      interference.release();
      await Promise.all(underWay);
      underWay.clear();
    },

    async reconcile(): Promise<void> {
      await activities.adoptEarlyEvents();
      while ((await activities.askUnresolved()).hasMore);
    },

    /** Until nobody has a message and no wait is over. */
    async followAll(): Promise<void> {
      for (;;) {
        const asked = new Set([...(await takeMessages()), ...(await timers.listDue())]);
        if (asked.size === 0) return;
        for (const workflowId of asked) await settle(workflowId);
      }
    },
  };
}

function ignoreMishap(error: unknown): void {
  if (!(error instanceof Mishappened)) throw error;
}

/** When each workflow wakes by itself. */
function createTimers(clock: () => Promise<number>) {
  const timers = new Map<string, number>();
  return {
    /** Null where it sleeps for good. */
    async set(workflowId: string, waitMs: number | null): Promise<void> {
      if (waitMs === null) timers.delete(workflowId);
      else timers.set(workflowId, waitMs === 0 ? 0 : (await clock()) + waitMs);
    },
    async listDue(): Promise<string[]> {
      const at = timers.size === 0 ? 0 : await clock();
      return [...timers].filter(([, dueAt]) => dueAt <= at).map(([workflowId]) => workflowId);
    },
  };
}

/** As the outbox publisher does: the workflows of these kinds that were sent a message. */
async function takeSent({ shop }: World, kinds: string[]): Promise<Set<string>> {
  const sent = await shop.database.query<{ id: string }>(
    `update outbox set sent_at = gatehouse_now()
     where sent_at is null and dead_lettered_at is null and split_part(workflow_id, ':', 1) = any($1)
     returning workflow_id as id`,
    [kinds],
  );
  return new Set(sent.map(({ id }) => id));
}

type Settlement = (id: string, of: string) => Promise<number | null>;

/** What a round of each kind does, and how long it sleeps after it; null where it does not. */
function createSettlements({ activities }: World): Record<string, Settlement> {
  return {
    // What a purchase waits for, reconciliation asks after too.
    async purchase(purchaseId) {
      const { hasRefunds } = await activities.settlePurchase({ purchaseId });
      if (hasRefunds) await activities.settleRefunds({ purchaseId });
      return null;
    },
    async subscription(subscriptionId) {
      const { isOpen, waitMs } = await activities.settleSubscription({ subscriptionId });
      return isOpen ? waitMs : null;
    },
    async membership(membershipId) {
      const { isOpen, waitMs } = await activities.settleMembership({ membershipId });
      while (await activities.notifyActivatedProducts({ membershipId }));
      return isOpen ? waitMs : null;
    },
    async entitlement(productId, personId) {
      return (await activities.settleEntitlement({ productId, personId })).remainingMs;
    },
  };
}

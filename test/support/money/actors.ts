import { purchaseActor } from '../../../domain/platform/outbox/actors.ts';
import { Mishappened, type Mishap } from './interference.ts';
import type { World } from './world.ts';

const CROWD = 2;

/** What workflows, their relay and their schedule do, one step at a time and without Temporal. */
export function createActors({ shop, activities, interference }: World) {
  const underWay = new Set<Promise<void>>();

  /** One round of the workflow: at a message, or when its wait is over. */
  async function settle(purchaseId: string): Promise<void> {
    const { hasRefunds } = await activities.settlePurchase({ purchaseId });
    if (hasRefunds) await activities.settleRefunds({ purchaseId });
  }

  async function settleUnlessKilled(purchaseId: string): Promise<void> {
    try {
      await settle(purchaseId);
    } catch (fault) {
      if (!(fault instanceof Mishappened)) throw fault;
    }
  }

  /** As the relay does: how many messages waited for it. */
  async function takeMessages(purchaseId: string): Promise<number> {
    const sent = await shop.database.query(
      `update outbox set sent_at = gatehouse_now()
       where workflow_id = $1 and sent_at is null returning 1`,
      [purchaseActor(purchaseId).workflowId],
    );
    return sent.length;
  }

  return {
    /** With an answer that is late the others go on meanwhile, until `release`. */
    async follow(purchaseId: string, mishap: Mishap | null): Promise<void> {
      interference.next(mishap);
      const settling = settleUnlessKilled(purchaseId);
      if (mishap !== 'late') return settling;
      underWay.add(settling);
      await Promise.race([settling, interference.untilHeld()]);
    },

    /** An activity that timed out may still run beside those that took its place. */
    crowd(purchaseId: string): Promise<unknown> {
      interference.next(null);
      return Promise.all(Array.from({ length: CROWD }, () => settle(purchaseId)));
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

    async followMessages(purchaseId: string): Promise<void> {
      while ((await takeMessages(purchaseId)) > 0) await settle(purchaseId);
    },
  };
}

import {
  addGrant,
  lockAccess,
  storeAccess,
} from '../../../domain/entitlements/entitlement.repository.ts';
import { entitlementWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { now } from '../../../platform/database/database.ts';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { passTime } from '../engines/clock.ts';
import { addProduct } from './scene.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';

const DAY_MS = 86_400_000;

type Period = { startsInDays?: number; days: number | null };

/** A person who has been granted access for some days, with the actor that follows it. */
export async function grantAccess(stage: Stage, first: Period) {
  const { client, database, testDatabase } = stage;
  const { productId, personId } = await addProduct(testDatabase);
  const key = { productId, personId };
  const { workflowId } = entitlementWorkflow(key);
  const handle = client.workflow.getHandle(workflowId);
  const grant = ({ startsInDays = 0, days }: Period) =>
    database.transaction(async (em) => {
      const access = await lockAccess(em, key);
      const at = (await now(em)).getTime();
      await addGrant(em, key, {
        type: 'complimentary',
        source: newPublicId('grant_'),
        startsAt: new Date(at + startsInDays * DAY_MS),
        endsAt: days === null ? null : new Date(at + days * DAY_MS),
      });
      await storeAccess(em, access, { reason: 'granted' });
    });
  await grant(first);
  const moveEnd = (days: number) =>
    database.transaction(async (em) => {
      const access = await lockAccess(em, key);
      await em.execute(
        `update access_grant set ends_at = gatehouse_now() + ? * interval '1 day'
         where product_id = ? and person_id = ?`,
        [days, productId, personId],
      );
      await storeAccess(em, access, { reason: 'granted' });
    });
  return {
    ...key,
    workflowId,
    grant,
    /** Access now ends so many days from now. */
    moveEnd,
    async events() {
      const found = await testDatabase.query<{ name: string }>(
        'select name from event where product_id = $1 order by created_at, id',
        [productId],
      );
      return found.map(({ name }) => name);
    },
    /** The actor has started so many timers: it waits in the last of them. */
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    async passDays(days: number) {
      const milliseconds = Math.round(days * DAY_MS);
      await passTime(testDatabase, { client, workflowId, milliseconds });
    },
    result: () => handle.result() as Promise<string>,
  };
}

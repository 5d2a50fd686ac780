import { startReceiver } from '../../../dev/demo/receiver.ts';
import { startPlatform, type Platform } from '../engines/platform.ts';

// A killed worker's activities are noticed by their timeouts.
const TIMEOUT_MS = 90_000;

// All but mail, which nobody receives here.
const WORKER_ROLES = ['dispatch', 'money', 'access', 'deliveries', 'upkeep'] as const;

/** With the receiver that the demo's first product tells of its orders. */
export async function startPlatformWithReceiver() {
  const platform = await startPlatform({ workerRoles: WORKER_ROLES });
  const endpoint = platform.demo.products[0]!.endpoints[0]!;
  const receiver = (await startReceiver([endpoint]))!;
  return {
    platform,
    receiver,
    async close() {
      await receiver.close();
      await platform.stop();
    },
  };
}

type Seen = {
  platform: Platform;
  receiver: NonNullable<Awaited<ReturnType<typeof startReceiver>>>;
};

/** Once the product's receiver has heard of an order: all events and grants of its buyer. */
export async function waitForOrder(
  { platform, receiver }: Seen,
  { purchaseId, personId }: { purchaseId: string; personId: string },
) {
  const isOurs = ({ data }: { data: Record<string, unknown> }) =>
    data['purchase_id'] === purchaseId;
  await receiver.waitFor('purchase.completed', isOurs, TIMEOUT_MS);
  await receiver.waitFor('entitlement.created', isOurs, TIMEOUT_MS);
  const events = await platform.database.query<{ name: string }>(
    `select name from event where data->>'user_id' = $1 and name not like 'authorization.%'
     order by name`,
    [personId],
  );
  const grants = await platform.database.query(
    'select source from access_grant where person_id = $1',
    [personId],
  );
  return { events: events.map(({ name }) => name), grants };
}

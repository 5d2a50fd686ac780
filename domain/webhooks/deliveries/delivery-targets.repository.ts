// What operators read of a delivery in Temporal: its event and the host of its endpoint.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { OutboxMessage } from '../../outbox/outbox.query.ts';
import { endpointHost } from '../endpoints/endpoint-host.ts';

export type DeliveryTarget = { eventName: string; endpointHost: string };

export type Targeted = OutboxMessage & { target?: DeliveryTarget | undefined };

/** The statement that records an attempt leaves out the host, which is read here. */
export async function addTargets(
  em: EntityManager,
  messages: readonly OutboxMessage[],
): Promise<Targeted[]> {
  const targets = await findTargets(em, messages.flatMap(deliveryIdsOf));
  return messages.map((message) => {
    const [target] = deliveryIdsOf(message).map((id) => targets.get(id));
    const { delivery } = message.message;
    if (!target || typeof delivery !== 'object') return { ...message, target };
    const { endpointHost } = target;
    const facts = { ...message.message, delivery: { ...delivery, endpointHost } };
    return { ...message, target, message: facts };
  });
}

function deliveryIdsOf({ workflowType, input }: OutboxMessage): string[] {
  return workflowType === 'webhookDelivery' && 'deliveryId' in input ? [input.deliveryId] : [];
}

async function findTargets(
  em: EntityManager,
  deliveryIds: readonly string[],
): Promise<Map<string, DeliveryTarget>> {
  if (deliveryIds.length === 0) return new Map();
  const found = await kysely(em)
    .selectFrom('delivery as d')
    .innerJoin('webhookEndpoint', 'webhookEndpoint.id', 'd.endpointId')
    .select(['d.id', 'd.eventName', 'url'])
    .where('d.id', '=', anyOf(deliveryIds))
    .execute();
  return new Map(
    found.map(({ id, eventName, url }) => [id, { eventName, endpointHost: endpointHost(url) }]),
  );
}

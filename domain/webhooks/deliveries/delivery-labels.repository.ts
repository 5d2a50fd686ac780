// What operators read of a delivery in Temporal: its event and the host of its endpoint.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { OutboxMessage } from '../../outbox/outbox.query.ts';
import { endpointHost } from '../endpoints/shown-host.ts';

export type DeliveryLabel = { eventName: string; endpointHost: string };

export type MessageWithLabel = OutboxMessage & { label?: DeliveryLabel | undefined };

/** The statement that records an attempt leaves out the host, which is read here. */
export async function addLabels(
  em: EntityManager,
  messages: readonly OutboxMessage[],
): Promise<MessageWithLabel[]> {
  const labels = await findLabels(em, messages.flatMap(deliveryIdsOf));
  return messages.map((message) => {
    const [label] = deliveryIdsOf(message).map((id) => labels.get(id));
    const { delivery } = message.message;
    if (!label || typeof delivery !== 'object') return { ...message, label };
    const { endpointHost } = label;
    const facts = { ...message.message, delivery: { ...delivery, endpointHost } };
    return { ...message, label, message: facts };
  });
}

function deliveryIdsOf({ workflowType, input }: OutboxMessage): string[] {
  return workflowType === 'webhookDelivery' && 'deliveryId' in input ? [input.deliveryId] : [];
}

async function findLabels(
  em: EntityManager,
  deliveryIds: readonly string[],
): Promise<Map<string, DeliveryLabel>> {
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

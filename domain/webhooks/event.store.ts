import { now, type EntityManager } from '../platform/database.ts';
import { newPublicId, newUuid } from '../platform/ids.ts';
import { Delivery, DeliveryState } from './delivery.entity.ts';
import { WebhookEndpoint } from './endpoint.entity.ts';
import { Event } from './event.entity.ts';
import type { EventData, EventName } from './events.schema.ts';

type NewEvent<Name extends EventName> = {
  productId: string;
  name: Name;
  data: EventData<Name>;
  /** To this endpoint alone, whatever it has subscribed to. */
  endpointId?: string;
};

/** Records an event and one delivery for each endpoint subscribed to it, in the caller's transaction. */
export async function recordEvent<Name extends EventName>(
  em: EntityManager,
  event: NewEvent<Name>,
): Promise<void> {
  const { productId, name, data, endpointId } = event;
  const createdAt = await now(em);
  const eventId = newUuid();
  await em.insert(Event, { id: eventId, productId, name, data, createdAt });
  const endpoints = await em.find(WebhookEndpoint, {
    productId,
    deletedAt: null,
    ...(endpointId === undefined ? { events: { $contains: [name] } } : { id: endpointId }),
  });
  const deliveries = endpoints.map((endpoint) => {
    const id = newPublicId('evt_');
    const envelope = { id, event: name, created_at: createdAt.toISOString(), data };
    return {
      id,
      eventId,
      endpointId: endpoint.id,
      productId,
      eventName: name,
      body: Buffer.from(JSON.stringify(envelope)),
      createdAt,
    };
  });
  if (deliveries.length === 0) return;
  await em.insertMany(Delivery, deliveries);
  const states = endpoints.map(({ disabledAt }, index) => {
    const { id: deliveryId, endpointId } = deliveries[index]!;
    const stands =
      disabledAt === null
        ? { status: 'pending' as const, dueAt: createdAt }
        : { status: 'held' as const, dueAt: null };
    return { deliveryId, productId, endpointId, createdAt, ...stands };
  });
  await em.insertMany(DeliveryState, states);
}

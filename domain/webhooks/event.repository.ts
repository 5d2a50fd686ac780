import { now, type EntityManager } from '../../platform/database/database.ts';
import { deliveryIdOf, newUuid } from '../shared/ids.ts';
import { Delivery, DeliveryState } from './deliveries/delivery.entity.ts';
import { WebhookEndpoint } from './endpoints/endpoint.entity.ts';
import { Event } from './event.entity.ts';
import type { EventData, EventName } from './events.schema.ts';

type NewEvent<Name extends EventName> = {
  productId: string;
  name: Name;
  data: EventData<Name>;
  /** Sends to this endpoint alone, whatever its subscriptions. */
  endpointId?: string;
  /** Nothing happened: the receiver is tried. */
  isExample?: boolean;
};

/** Records an event and one delivery for each endpoint subscribed to it, in the caller's transaction. */
export async function recordEvent<Name extends EventName>(
  em: EntityManager,
  event: NewEvent<Name>,
): Promise<void> {
  const { productId, name, data, endpointId, isExample = false } = event;
  const createdAt = await now(em);
  const eventId = newUuid(createdAt.getTime());
  await em.insert(Event, { id: eventId, productId, name, data, createdAt });
  const endpoints = await em.find(WebhookEndpoint, {
    productId,
    deletedAt: null,
    ...(endpointId === undefined ? { events: { $contains: [name] } } : { id: endpointId }),
  });
  if (endpoints.length === 0) return;
  const made = endpoints.map(({ id: endpointId, disabledAt }) => {
    const id = deliveryIdOf({ eventId, endpointId });
    const envelope = { id, event: name, created_at: createdAt.toISOString(), data };
    const body = Buffer.from(JSON.stringify(envelope));
    const shared = { productId, endpointId, createdAt };
    const initial =
      disabledAt === null
        ? { status: 'pending' as const, dueAt: createdAt }
        : { status: 'held' as const, dueAt: null };
    return {
      delivery: { ...shared, id, eventId, eventName: name, body, isExample },
      state: { ...shared, ...initial, deliveryId: id },
    };
  });
  await em.insertMany(
    Delivery,
    made.map(({ delivery }) => delivery),
  );
  await em.insertMany(
    DeliveryState,
    made.map(({ state }) => state),
  );
}

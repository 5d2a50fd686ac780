import type { ClaimedDelivery } from '../../domain/webhooks/dispatch/claim.query.ts';
import { recordAttempts } from '../../domain/webhooks/dispatch/record.query.ts';
import type { Services } from '../index.ts';

/** Sends claimed deliveries at once, and records their outcomes in one statement. */
export async function sendAndRecord(
  { database, claims, sender }: Pick<Services, 'database' | 'claims' | 'sender'>,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const send = async (delivery: ClaimedDelivery) => {
    const outcome = await sender.send(delivery);
    claims.pace.note(delivery.endpointId, outcome.durationMs);
    return { delivery, outcome };
  };
  await recordAttempts(database.pool, await Promise.all(deliveries.map(send)));
}

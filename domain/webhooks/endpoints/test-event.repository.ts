import { now } from '../../../platform/database/database.ts';
import { consume, secondsLeft } from '../../limits/consume.repository.ts';
import { Throttle, type ThrottledWork } from '../../limits/throttle.repository.ts';
import { kysely } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { EndpointKey } from './endpoint.repository.ts';
import { recordEvent } from '../event.repository.ts';
import type { EventName } from '../events.schema.ts';
import { exampleOf } from '../example-events.ts';
import { TEST_EVENT } from './test-event.ts';

const LIMIT = { name: 'webhook-test', most: 5, minutes: 10 };
const MESSAGE = 'This is a test from the console. Acknowledge it with a 2xx, and do nothing.';

type TestRefusal = Refusal<'not_found' | 'disabled'> | TooManyTests;
type TooManyTests = Refusal<'too_many'> & { retryAfterS: number };

/**
 * Sends a signed event to this endpoint alone, five in ten minutes: a test, or the example of an
 * event, whatever the endpoint's subscriptions.
 */
export async function sendTestEvent(
  { em, pool }: ThrottledWork,
  { productId, endpointId, name }: EndpointKey & { name: EventName },
): Promise<{ sent: true } | TestRefusal> {
  const endpoint = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select('disabledAt')
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (!endpoint) return refuse('not_found');
  if (endpoint.disabledAt !== null) return refuse('disabled');
  const counted = await consume(new Throttle(pool, LIMIT), endpointId);
  if (counted.consumedPoints > LIMIT.most) {
    return { ...refuse('too_many'), retryAfterS: secondsLeft(counted) };
  }
  if (name === TEST_EVENT) {
    const data = { message: MESSAGE, product_id: productId, endpoint_id: endpointId };
    await recordEvent(em, { productId, name, data, endpointId });
  } else {
    const data = exampleOf(name, { productId, at: await now(em) });
    await recordEvent(em, { productId, name, data, endpointId, isExample: true });
  }
  return { sent: true };
}

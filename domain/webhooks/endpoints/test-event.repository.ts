import { countThrottled, throttleKey } from '../../limits/throttle.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { EndpointKey } from './endpoint.repository.ts';
import { recordEvent } from '../event.repository.ts';
import { TEST_EVENT } from './test-event.ts';

const MOST = 5;
const MINUTES = 10;
const MESSAGE = 'This is a test from the console. Acknowledge it with a 2xx, and do nothing.';

type TestRefusal = Refusal<'not_found' | 'disabled'> | TooManyTests;
type TooManyTests = Refusal<'too_many'> & { retryAfterS: number };

/** A real event to this endpoint alone, five in ten minutes; it goes the way of all others. */
export async function sendTestEvent(
  em: EntityManager,
  key: EndpointKey,
): Promise<{ sent: true } | TestRefusal> {
  const { productId, endpointId } = key;
  const [endpoint] = await rows<{ isDisabled: boolean }>(
    em,
    `select disabled_at is not null as "isDisabled" from webhook_endpoint
     where id = ? and product_id = ? and deleted_at is null for share`,
    [endpointId, productId],
  );
  if (!endpoint) return refuse('not_found');
  if (endpoint.isDisabled) return refuse('disabled');
  const counter = { key: throttleKey('webhook-test', endpointId), minutes: MINUTES };
  const { n, retryAfterS } = await countThrottled(em, counter);
  if (n > MOST) return { ...refuse('too_many'), retryAfterS };
  const data = { message: MESSAGE, product_id: productId, endpoint_id: endpointId };
  await recordEvent(em, { productId, name: TEST_EVENT, data, endpointId });
  return { sent: true };
}

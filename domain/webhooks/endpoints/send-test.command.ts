import type pg from 'pg';
import { inTransaction, now, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { consume, secondsLeft } from '../../limits/throttle.repository.ts';
import { Throttle } from '../../limits/throttle.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { recordEvent } from '../event.repository.ts';
import type { EventName } from '../events.schema.ts';
import { exampleOf } from '../example-events.ts';
import { TEST_EVENT } from '../test-event.ts';
import { holdRights, type Change, type RightsRefusal } from './endpoint.command.ts';
import { holdEndpoint, type EndpointKey } from './endpoint.repository.ts';

const TESTS = { name: 'webhook-test', most: 5, minutes: 10 };
const TEST_MESSAGE = 'This is a test from the console. Acknowledge it with a 2xx, and do nothing.';

type TestRefusal =
  | RightsRefusal
  | Refusal<'unknown' | 'waits' | 'disabled'>
  | (Refusal<'too_many'> & { retryAfterS: number });

/**
 * Sends a signed event to this endpoint alone, whatever its subscriptions: a test, or the example of
 * an event. The throttle counts in a transaction of its own, so a refusal of it is kept.
 */
export async function sendTestEvent(
  em: EntityManager,
  input: Change & EndpointKey & { name: EventName; pool: pg.Pool },
): Promise<{ sent: true } | TestRefusal> {
  return inTransaction(em, async (em) => {
    const { productId, endpointId, name, pool, by } = input;
    const held = await holdRights(em, input);
    if (isRefusal(held)) return held;
    if (held.isTrial) return refuse('waits');
    const endpoint = await holdEndpoint(em, input);
    if (endpoint === null) return refuse('unknown');
    if (!endpoint.isEnabled) return refuse('disabled');
    const counted = await consume(new Throttle(pool, TESTS), endpointId);
    if (counted.consumedPoints > TESTS.most) {
      return { ...refuse('too_many'), retryAfterS: secondsLeft(counted) };
    }
    if (name === TEST_EVENT) {
      const data = { message: TEST_MESSAGE, product_id: productId, endpoint_id: endpointId };
      await recordEvent(em, { productId, endpointId, name, data });
    } else {
      const data = exampleOf(name, { productId, at: await now(em) });
      await recordEvent(em, { productId, endpointId, name, data, isExample: true });
    }
    const action = name === TEST_EVENT ? 'endpoint.tested' : 'endpoint.example_sent';
    const entry = { action, subject: endpointId, detail: { event: name } } as const;
    await recordAudit(em, { ...entry, by, productId, teamId: held.teamId });
    return { sent: true };
  });
}

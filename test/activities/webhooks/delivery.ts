import test from 'ava';
import { sendAndRecord } from '../../../activities/webhooks/delivery.activities.ts';
import type { Services } from '../../../activities/services.ts';
import type { ClaimedDelivery } from '../../../domain/webhooks/deliveries/claim-deliveries.query.ts';

const delivery = { id: 'evt_1', endpointId: 'endpoint', step: 1 } as ClaimedDelivery;

function createScene({ failures }: { failures: number }) {
  const posts: string[] = [];
  let records = 0;
  const services = {
    claims: { throttle: { note: () => undefined } },
    sender: {
      async send({ id }: ClaimedDelivery) {
        posts.push(id);
        return { durationMs: 1, statusCode: 204, error: null, ip: null, bodyStart: null };
      },
    },
    database: {
      pool: {
        async query() {
          records += 1;
          if (records <= failures) throw new Error('the database is away');
          return { rows: [{ recorded: 1 }] };
        },
      },
    },
    logger: { warn: () => undefined },
  } as unknown as Services;
  return { services, posts, records: () => records };
}

test('a retry whose outcome could not be recorded at once is recorded again, and not sent again', async (t) => {
  const { services, posts, records } = createScene({ failures: 1 });
  await sendAndRecord(services, [delivery]);
  t.deepEqual([posts, records()], [['evt_1'], 2]);
});

test('after two tries Temporal decides when the step is made again', async (t) => {
  const { services, records } = createScene({ failures: 2 });
  await t.throwsAsync(sendAndRecord(services, [delivery]), { message: 'the database is away' });
  t.is(records(), 2);
});

import test from 'ava';
import { createClaims } from '../../domain/webhooks/deliveries/claims.command.ts';
import { encryptEndpointSecret } from '../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { loadDelivery } from '../../domain/webhooks/deliveries/delivery.repository.ts';
import type { Message } from '../../workflows/contracts.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { isSignedBy } from '../support/webhooks/receiver.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['deliveries'] });
});
test.after.always(() => stage?.close());

/** Runs a dispatcher for as long as it takes. */
async function dispatchUntil(isDone: () => Promise<unknown>): Promise<void> {
  const dispatcher = stage.startDispatcher();
  await isDone();
  await dispatcher.stop();
}

const count = async (sql: string, values: unknown[]) =>
  (await stage.testDatabase.query<{ n: number }>(sql, values))[0]!.n;

test.serial(
  'the first attempt is made at once, signed, with exactly the stored bytes',
  async (t) => {
    const story = await deliver(stage, 200);
    await dispatchUntil(() => story.reaches(({ status }) => status === 'succeeded'));
    const [hit] = story.receiver.hits;
    t.true(hit!.isSigned);
    t.is(hit!.headers['service-event'], 'purchase.completed');
    t.is(hit!.headers['user-agent'], 'Gatehouse-Webhooks/1.0');
    t.is(hit!.headers['content-type'], 'application/json');
    t.is(hit!.headers['service-signature-previous'], undefined);
    const envelope = JSON.parse(hit!.rawBody.toString());
    t.deepEqual(Object.keys(envelope), ['id', 'event', 'created_at', 'data']);
    t.is(envelope.id, story.deliveryId);
    const [attempt, ...others] = await story.attempts();
    t.is(others.length, 0);
    t.like(attempt, {
      run: 1,
      step: 0,
      status_code: 200,
      error: null,
      ip: '127.0.0.1',
      body_start: 'answer 200',
      was_interrupted: false,
    });
    t.is(
      await count('select count(*)::int as n from outbox where workflow_id = $1', [
        story.workflowId,
      ]),
      0,
    );
  },
);

test.serial(
  'a first attempt that fails wakes the actor of its delivery in the same statement',
  async (t) => {
    const story = await deliver(stage, 410);
    await dispatchUntil(() => story.reaches(({ status }) => status === 'retrying'));
    t.like(await story.row(), { step: 1, is_leased: false });
    t.is(
      await count(
        'select count(*)::int as n from outbox where workflow_id = $1 and sent_at is null',
        [story.workflowId],
      ),
      1,
    );
  },
);

for (const [what, url, last] of [
  ['was answered', null, { lastStatusCode: 410, lastError: 'http_status' }],
  ['could not be sent', 'http://10.0.0.1/', { lastStatusCode: null, lastError: 'policy' }],
] as const) {
  test.serial(
    `the message of a first attempt that ${what} says exactly how its row stands, and nothing else`,
    async (t) => {
      const story = await deliver(stage, 410);
      await stage.testDatabase.query(
        'update webhook_endpoint set url = coalesce($2, url) where id = $1',
        [story.endpointId, url],
      );
      await dispatchUntil(() => story.reaches(({ status }) => status === 'retrying'));
      const [row] = await stage.testDatabase.query<{ message: Message }>(
        'select message from outbox where workflow_id = $1',
        [story.workflowId],
      );
      const { message } = row!;
      t.deepEqual(Object.keys(message).toSorted(), ['delivery', 'kind']);
      const remainingMs = waitBeforeMs(1)!;
      // The publisher adds the host.
      const loaded = await loadDelivery(stage.database.em(), story.deliveryId);
      const { endpointHost, ...state } = loaded!;
      t.is(endpointHost, new URL(url ?? story.receiver.url).host);
      t.true(state.remainingMs <= remainingMs);
      t.deepEqual(message.delivery, { ...state, remainingMs, isEarly: false });
      t.like(message.delivery, { status: 'retrying', run: 1, step: 1, ...last });
    },
  );
}

test.serial(
  'what a dead dispatcher had claimed is claimed again when the lease is over',
  async (t) => {
    const story = await deliver(stage, 200);
    const claimed = await createClaims(stage.database.pool).firstAttempts(32);
    t.true(claimed.deliveries.some(({ id }) => id === story.deliveryId));
    const other = await deliver(stage, 200);
    await dispatchUntil(() => other.reaches(({ status }) => status === 'succeeded'));
    t.is(story.receiver.hits.length, 0);
    await stage.testDatabase.advance(31_000);
    await dispatchUntil(() => story.reaches(({ status }) => status === 'succeeded'));
    t.deepEqual(
      (await story.attempts()).map(({ step, was_interrupted }) => [step, was_interrupted]),
      [[0, true]],
    );
  },
);

test.serial('several dispatchers send each delivery once', async (t) => {
  const stories = await Promise.all(Array.from({ length: 20 }, () => deliver(stage, 200)));
  const dispatchers = [1, 2, 3].map(() => stage.startDispatcher());
  for (const story of stories) await story.reaches(({ status }) => status === 'succeeded');
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
  t.deepEqual(
    stories.map(({ receiver }) => receiver.hits.length),
    stories.map(() => 1),
  );
});

test.serial(
  'a delivery of a disabled endpoint is held, of a deleted one cancelled; nothing is sent',
  async (t) => {
    const [disabled, deleted] = [await deliver(stage, 200), await deliver(stage, 200)];
    const end = (column: string, id: string) =>
      stage.testDatabase.query(`update webhook_endpoint set ${column} = now() where id = $1`, [id]);
    await end('disabled_at', disabled.endpointId);
    await end('deleted_at', deleted.endpointId);
    await dispatchUntil(async () => {
      await disabled.reaches(({ status }) => status === 'held');
      await deleted.reaches(({ status }) => status === 'cancelled');
    });
    t.is(disabled.receiver.hits.length + deleted.receiver.hits.length, 0);
  },
);

test.serial('the old secret signs too until its rotation window ends', async (t) => {
  const story = await deliver(stage, 200);
  await stage.testDatabase.query(
    `update webhook_endpoint set previous_encrypted_secret = $2,
       previous_until = gatehouse_now() + interval '1 day' where id = $1`,
    [story.endpointId, encryptEndpointSecret(stage.encryptor, story.endpointId, 'whsec_old')],
  );
  await dispatchUntil(() => story.reaches(({ status }) => status === 'succeeded'));
  const [inside] = story.receiver.hits;
  const signature = inside!.headers['service-signature-previous']?.toString();
  t.true(inside!.isSigned);
  t.true(isSignedBy('whsec_old', { rawBody: inside!.rawBody, signature }));
  const kept = await stage.testDatabase.query(
    `select signature, previous_signature from attempt
     where delivery_id in (select id from delivery where endpoint_id = $1)`,
    [story.endpointId],
  );
  const current = inside!.headers['service-signature'];
  t.deepEqual(kept, [{ signature: current, previous_signature: signature }], 'as they were sent');

  await stage.testDatabase.advance(86_400_000);
  await story.tell();
  await dispatchUntil(() =>
    eventually(
      () => story.receiver.hits,
      (hits) => hits.length === 2,
    ),
  );
  const outside = story.receiver.hits[1]!;
  t.true(outside.isSigned);
  t.is(outside.headers['service-signature-previous'], undefined);
});

test.serial('a dispatcher that stops finishes what is under way', async (t) => {
  const story = await deliver(stage, 'slow');
  const dispatcher = stage.startDispatcher();
  await eventually(
    () => story.receiver.hits,
    (hits) => hits.length === 1,
  );
  await dispatcher.stop();
  t.is((await story.row()).status, 'succeeded');
});

test.serial(
  'first attempts are counted by product, with those that were accepted in time',
  async (t) => {
    for (const [answer, status, accepted] of [
      [204, 'succeeded', 1],
      [503, 'retrying', 0],
    ] as const) {
      const story = await deliver(stage, answer);
      await dispatchUntil(() => story.reaches((row) => row.status === status));
      const counts = await stage.testDatabase.query(
        'select first_attempts, first_successes from integration_count where product_id = $1',
        [story.productId],
      );
      t.deepEqual(counts, [{ first_attempts: 1, first_successes: accepted }]);
    }
  },
);

test.serial('a recovered delivery that was tried before is no first attempt again', async (t) => {
  const story = await deliver(stage, 503, 204);
  await dispatchUntil(() => story.reaches(({ status }) => status === 'retrying'));
  // As the recovery of a held delivery leaves it.
  await stage.testDatabase.query(
    `update delivery_state set status = 'pending', run = 2, step = 0, due_at = gatehouse_now()
     where delivery_id = $1`,
    [story.deliveryId],
  );
  await dispatchUntil(() => story.reaches(({ status }) => status === 'succeeded'));
  t.is(story.receiver.hits.length, 2);
  const counts = await stage.testDatabase.query(
    'select first_attempts, first_successes from integration_count where product_id = $1',
    [story.productId],
  );
  t.deepEqual(counts, [{ first_attempts: 1, first_successes: 0 }]);
});

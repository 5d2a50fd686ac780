import { randomUUID } from 'node:crypto';
import test from 'ava';
import { recordOutcomes } from '../../../domain/webhooks/deliveries/record-attempts.query.ts';
import {
  disableFailingEndpoint,
  notifyOfDeadDelivery,
} from '../../../domain/webhooks/endpoints/failing-endpoints.command.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { startTeams } from '../../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
test.after.always(() => api.close());
const rows = createDeliveryRows(api.test);
const { query } = api.test;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function scene() {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team);
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId };

  /** The last attempt of a delivery, recorded as the activity does it. */
  async function end(statusCode: number, step = 5): Promise<string> {
    const id = await rows.delivery({ ...made, status: 'retrying', step, minutesAgo: 0 });
    const leaseToken = randomUUID();
    await query(
      `insert into delivery_lease (delivery_id, endpoint_id, owner_id, is_retry, token, until)
       values ($1, $2, gen_random_uuid(), true, $3, gatehouse_now() + interval '30 seconds')`,
      [id, endpointId, leaseToken],
    );
    const error = statusCode === 200 ? null : ('http_status' as const);
    const outcome = { durationMs: 5, statusCode, error, ip: null, bodyStart: null };
    const claimed = {
      id,
      endpointId,
      productId: product.id,
      run: 1,
      step,
      leaseToken,
      isRetry: true,
      wasInterrupted: false,
      eventName: 'purchase.completed',
      isExample: false,
      body: Buffer.from(''),
      url,
      encryptedSecret: '',
      previousEncryptedSecret: null,
      previousForMs: null,
      claimedAt: performance.now(),
    };
    await recordOutcomes(api.database.pool, [{ delivery: claimed, outcome }]);
    return id;
  }

  return {
    team,
    product,
    endpointId,
    end,
    die: () => end(503),
    succeed: () => end(200),
    ...createViews({ productId: product.id, endpointId, team }),
  };
}

type Told = {
  productId: string;
  endpointId: string;
  team: Awaited<ReturnType<typeof teams.wholeTeam>>;
};

/** What the team learns of the endpoint. */
function createViews({ productId, endpointId, team }: Told) {
  return {
    async endpoint() {
      const [row] = await query<Record<string, Date | null>>(
        'select disabled_at, failing_since, last_dead_at from webhook_endpoint where id = $1',
        [endpointId],
      );
      return row!;
    },
    async told() {
      const found = await query<{ kind: string }>(
        'select kind from notification where product_id = $1 order by created_at, id',
        [productId],
      );
      return found.map(({ kind }) => kind);
    },
    async mailed(purpose: string) {
      const people = Object.entries(team.members);
      const roles = [];
      for (const [role, { person }] of people) {
        const mails = await teams.mailsTo(person.email);
        if (mails.some((mail) => mail.purpose === purpose)) roles.push(role);
      }
      return roles.toSorted();
    },
  };
}

/** As upkeep does: until there is nothing left to do. */
async function watch(): Promise<void> {
  while (await api.database.transaction(disableFailingEndpoint));
  while (await api.database.transaction(notifyOfDeadDelivery));
}

test.serial(
  'the team is told at the first dead delivery of an endpoint, by mail too',
  async (t) => {
    const story = await scene();
    await watch();
    t.deepEqual(await story.told(), []);
    await story.die();
    await Promise.all([watch(), watch()]);
    t.deepEqual(await story.told(), ['endpoint_failing']);
    t.deepEqual(await story.mailed('endpoint_failing'), ['admin', 'developer', 'owner']);
    const [notification] = await query<Record<string, unknown>>(
      'select team_id, person_id, roles, data from notification where product_id = $1',
      [story.product.id],
    );
    t.like(notification, { team_id: story.team.id, person_id: null });
    t.deepEqual(notification!['roles'], ['owner', 'admin', 'developer']);
    t.like(notification!['data'], {
      endpointId: story.endpointId,
      url: 'https://hooks.example/in',
    });
  },
);

test.serial('the team is told once until the endpoint succeeds again', async (t) => {
  const story = await scene();
  await story.die();
  await watch();
  await api.test.advance(2 * DAY_MS);
  await story.die();
  await watch();
  t.deepEqual(await story.told(), ['endpoint_failing']);
  await story.succeed();
  t.is((await story.endpoint())['failing_since'], null);
  await story.die();
  await watch();
  t.deepEqual(await story.told(), ['endpoint_failing', 'endpoint_failing']);
});

test.serial('an endpoint that comes and goes is told of once a day at most', async (t) => {
  const story = await scene();
  await story.die();
  await watch();
  for (let n = 0; n < 3; n += 1) {
    await story.succeed();
    await story.die();
    await watch();
  }
  t.deepEqual(await story.told(), ['endpoint_failing']);
  await api.test.advance(DAY_MS + 1_000);
  await watch();
  t.deepEqual(await story.told(), ['endpoint_failing', 'endpoint_failing']);
});

test.serial('an endpoint is disabled after five days of nothing but failures', async (t) => {
  const story = await scene();
  await story.end(503, 1);
  const { failing_since: since } = await story.endpoint();
  t.truthy(since);
  await api.test.advance(5 * DAY_MS - HOUR_MS);
  await story.die();
  await watch();
  t.is((await story.endpoint())['disabled_at'], null);
  await api.test.advance(HOUR_MS + 1_000);
  await Promise.all([watch(), watch()]);
  const disabled = await story.endpoint();
  t.truthy(disabled['disabled_at']);
  t.deepEqual(await story.told(), ['endpoint_failing', 'endpoint_disabled']);
  t.deepEqual(await story.mailed('endpoint_disabled'), ['admin', 'developer', 'owner']);

  // Enabled again it gets its full time.
  await query('update webhook_endpoint set disabled_at = null where id = $1', [story.endpointId]);
  await story.die();
  await watch();
  t.is((await story.endpoint())['disabled_at'], null);
});

test.serial('one success within the five days keeps an endpoint enabled', async (t) => {
  const story = await scene();
  await story.die();
  await api.test.advance(4 * DAY_MS);
  await story.succeed();
  await story.die();
  await api.test.advance(2 * DAY_MS);
  await story.die();
  await watch();
  t.is((await story.endpoint())['disabled_at'], null);
  t.false((await story.told()).includes('endpoint_disabled'));
});

test.serial('failures that lie within less than 12 hours disable nothing', async (t) => {
  const story = await scene();
  await story.end(503, 1);
  await api.test.advance(11 * HOUR_MS);
  await story.die();
  // Only what the last day has seen counts as still failing.
  await query(
    `update webhook_endpoint set failing_since = failing_since - interval '5 days',
       last_dead_at = last_dead_at - interval '5 days' where id = $1`,
    [story.endpointId],
  );
  await watch();
  t.is((await story.endpoint())['disabled_at'], null);
});

test.serial('a builder without a team is told alone', async (t) => {
  const builder = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner: builder });
  const url = 'https://hooks.example/in';
  const { id } = await api.seed.endpoint({ productId: product.id, url });
  await query('update webhook_endpoint set last_dead_at = gatehouse_now() where id = $1', [id]);
  await watch();
  const [row] = await query<Record<string, unknown>>(
    'select person_id, team_id, roles from notification where product_id = $1',
    [product.id],
  );
  t.deepEqual(row, { person_id: builder.id, team_id: null, roles: [] });
  t.is((await teams.mailsTo(builder.email))[0]?.purpose, 'endpoint_failing');
});

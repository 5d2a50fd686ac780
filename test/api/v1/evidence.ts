import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import test from 'ava';
import { createUsageRecorder } from '../../../domain/usage/usage-recorder.command.ts';
import { readQualifiedDays } from '../../../domain/usage/history/usage-sums.query.ts';
import { eventually } from '../../support/eventually.ts';
import { readProfile } from '../../support/identity/oauth.ts';
import {
  answerTo,
  countIn,
  daysOf,
  goBeforeMidnight,
  report,
} from '../../support/catalog/usage.ts';
import { api, product } from './scene.ts';

const logger = { warn: () => undefined };
const DAY_MS = 86_400_000;

async function signedIn(scope = 'identity entitlements') {
  const { token, personId } = await api.seed.token({ product, scope });
  return { token, key: { productId: product.id, personId } };
}

/** Processes of their own, which know nothing of each other. */
function startRecorders(count: number) {
  const { pool } = api.database;
  return Array.from({ length: count }, () => createUsageRecorder(pool, logger));
}

test.serial('100 reports at once make one row with every kind', async (t) => {
  const { token, key } = await signedIn();
  const kinds = Array.from({ length: 100 }, (_, n) => ['session', 'heartbeat', 'activity'][n % 3]);
  const answers = await Promise.all(kinds.map((kind) => answerTo(api, token, { kind })));
  for (const [index, answer] of answers.entries()) {
    t.like(answer as object, { counted: true, qualifying: kinds[index] !== 'session' });
  }
  t.is((await daysOf(api, key))[0]!.is_qualifying, true);
  const days = await daysOf(api, key);
  t.is(days.length, 1);
  t.like(days[0], { session: true, heartbeat: true, activity: true, is_in_order: true });
});

test.serial(
  'a qualifying day never falls, whatever comes at once from several processes',
  async (t) => {
    const recorders = startRecorders(3);
    const people = await Promise.all(Array.from({ length: 20 }, () => signedIn()));
    const [now] = await api.test.query<{ at: Date }>('select gatehouse_now() as at');
    const work = people.flatMap(({ key }, person) =>
      recorders.flatMap((recorder, process) =>
        (['session', 'activity', 'session'] as const).map((kind, n) => {
          const isByKey = (person + process + n) % 3 === 0;
          if (isByKey) return recorder.recordByKey({ ...key, mode: 'live' }, kind);
          return recorder.recordByToken({ ...key, isOwnTeam: false, at: now!.at }, kind);
        }),
      ),
    );
    const decisions = await Promise.all(work);
    t.is(decisions.length, 180);
    await Promise.all(recorders.map((recorder) => recorder.close()));
    for (const { key } of people) {
      const [day, ...more] = await daysOf(api, key);
      t.deepEqual(more, []);
      t.like(day, { is_qualifying: true, session: true, activity: true, by_key: true });
    }
  },
);

test.serial('the database itself refuses to take a day of evidence back', async (t) => {
  const { token, key } = await signedIn();
  await report(api, token, { kind: 'activity' });
  await report(api, token, { kind: 'session' });
  for (const mask of ['qualifying_days', 'activity_days', 'session_days']) {
    const fall = `update usage_month set ${mask} = 0 where person_id = $1`;
    await t.throwsAsync(api.test.query(fall, [key.personId]), {
      message: /a day of evidence stays/,
    });
  }
  t.is((await daysOf(api, key))[0]!.is_qualifying, true);
});

test.serial('evidence is committed before the answer, the row and its rise', async (t) => {
  const { token, key } = await signedIn();
  await report(api, token, { kind: 'session' });
  t.like((await daysOf(api, key))[0], { session: true, is_qualifying: false });
  await report(api, token, { kind: 'heartbeat' });
  t.like((await daysOf(api, key))[0], { heartbeat: true, is_qualifying: true });
});

test.serial(
  'a report whose body comes after its caller was authenticated is recorded too',
  async (t) => {
    const { token, key } = await signedIn();
    const body = JSON.stringify({ kind: 'activity' });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(`${api.url}/api/v1/usage`, { method: 'POST', headers });
    sent.write(body.slice(0, 5));
    await eventually(
      () => countIn(api, { window: 'usage_reports', credential: token }),
      (n) => n > 0,
    );
    t.deepEqual(await daysOf(api, key), []);
    sent.end(body.slice(5));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    t.is(response.statusCode, 200);
    response.resume();
    t.like((await daysOf(api, key))[0], { activity: true, is_qualifying: true });
  },
);

test.serial(
  'where evidence cannot be committed there is no answer, and nobody else suffers',
  async (t) => {
    const [refused, fine] = [await signedIn(), await signedIn()];
    await api.test.query(
      `alter table usage_month add constraint one_is_refused check (person_id <> '${refused.key.personId}')`,
    );
    t.teardown(() => api.test.query('alter table usage_month drop constraint one_is_refused'));
    const send = (token: string) => report(api, token, { kind: 'activity' });
    const responses = await Promise.all(
      [refused, fine, refused, fine].map((one) => send(one.token)),
    );
    t.deepEqual(
      responses.map(({ status }) => status),
      [500, 200, 500, 200],
    );
    t.is((await readProfile(api, refused.token)).status, 500);
    t.like((await daysOf(api, fine.key))[0], { is_qualifying: true });
  },
);

test.serial("the day is the UTC date of the database's clock at receipt", async (t) => {
  const { token, key } = await signedIn();
  await goBeforeMidnight(api, 30_000);
  await report(api, token, { kind: 'activity' });
  await api.test.advance(30_000);
  t.like(await answerTo(api, token, { kind: 'session' }), { qualifying: false });
  await api.usage.close();
  t.deepEqual(
    (await daysOf(api, key)).map(({ is_qualifying }) => is_qualifying),
    [true, false],
  );
  await api.test.advance(DAY_MS);
  await readProfile(api, token);
  const days = await daysOf(api, key);
  t.deepEqual(
    days.map(({ is_qualifying }) => is_qualifying),
    [true, false, true],
  );
  const qualified: string[] = [];
  for (const month of new Set(days.map(({ day }) => day.slice(0, 7)))) {
    for await (const batch of readQualifiedDays(() => api.database.em(), { month, batch: 1 })) {
      for (const { personId, mask } of batch) {
        if (personId !== key.personId) continue;
        for (const { day } of days) {
          const isInMask = (mask & (1 << (Number(day.slice(8)) - 1))) !== 0;
          if (day.startsWith(month) && isInMask) qualified.push(day);
        }
      }
    }
  }
  t.deepEqual(qualified, [days[0]!.day, days[2]!.day]);
});

test.serial('the first profile read of a day qualifies, with access or without', async (t) => {
  const entitled = await signedIn();
  await api.seed.grant(entitled.key);
  for (const { token, key } of [entitled, await signedIn()]) {
    t.is((await readProfile(api, token)).status, 200);
    t.like((await daysOf(api, key))[0], {
      session: false,
      profile_read: true,
      is_qualifying: true,
    });
  }
});

test.serial(
  'a profile read without the entitlements scope, or without a product, is no evidence',
  async (t) => {
    const narrow = await signedIn('identity');
    const client = await api.seed.client({ product: null });
    const own = await api.seed.token({ product, clientId: client.clientId });
    for (const { token, personId } of [{ ...narrow, ...narrow.key }, own]) {
      t.is((await readProfile(api, token)).status, 200);
      await api.usage.close();
      t.deepEqual(await daysOf(api, { productId: product.id, personId }), []);
    }
  },
);

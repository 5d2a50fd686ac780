import test from 'ava';
import { describeRetries, inWords, lastResponseOf } from '../../../workflows/visibility.ts';
import { summarize } from '../../../workflows/signals.ts';
import { message, SCHEDULED_TRIES, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const records = (activity: string) => ({ activity, input: undefined, ...TRIES.records });
const step = (activity: string) => ({ activity, input: undefined, ...SCHEDULED_TRIES.records });

test('a mail is sent, shown, and sent again for a message that came meanwhile', async (t) => {
  const input = { mailId: 'mail_1' };
  const run = await start('sendMail', [input], [message('1')]);
  const sending = { activity: 'sendMail', input, ...TRIES.mails };
  t.is(await run.query('status'), 'sending');
  t.deepEqual(run.asked(), [sending]);
  t.deepEqual(await run.answer({ status: 'sent' }, [message('2')]), [
    { attributes: { Status: 'sent' } },
    sending,
  ]);
  t.deepEqual((await run.answer({ status: 'too_old' })).at(-1), { completed: 'too_old' });
  t.is(await run.details(), 'too_old');
  t.is(await run.query('status'), 'too_old');
});

test('a recovery goes batch by batch, and tells how far it is', async (t) => {
  const input = { recoveryId: 'r' };
  const run = await start('recoverDeliveries', [input]);
  const batch = (summary: string) => ({
    activity: 'recoverBatch',
    input,
    summary,
    ...TRIES.records,
  });
  t.is(await run.query('status'), 'starting');
  t.deepEqual(await run.query('progress'), { status: 'starting', done: 0, total: 0 });
  t.deepEqual(run.asked(), [batch('after 0 of 0')]);
  const at = (status: string, done: number) => ({ productId: 'product', status, done, total: 9 });
  t.deepEqual(await run.answer(at('running', 5)), [
    { attributes: { Status: 'running', Product: 'product' } },
    batch('after 5 of 9'),
  ]);
  t.is(await run.details(), 'running: 5 of 9');
  t.deepEqual(await run.query('progress'), { status: 'running', done: 5, total: 9 });
  t.is(await run.query('status'), 'running');
  await run.answer(at('completed', 9), [message('1')]);
  t.deepEqual(run.asked().at(-1), batch('after 9 of 9'));
  t.deepEqual((await run.answer(at('completed', 9))).at(-1), { completed: 'completed' });
});

test('reconciliation asks batch by batch, 50 at most, then looks at the lists', async (t) => {
  const run = await start('reconcile', []);
  t.deepEqual(run.asked(), [step('adoptEarlyEvents')]);
  await run.answer({ adopted: 4 });
  for (let batch = 1; batch <= 50; batch += 1) {
    t.like(run.asked().at(-1), {
      activity: 'askUnresolved',
      summary: `batch ${batch}, after ${(batch - 1) * 10}`,
      ...SCHEDULED_TRIES.records,
    });
    await run.answer({ asked: 10, hasMore: true });
  }
  t.like(run.asked().at(-1), { activity: 'refreshPayoutAccounts', ...SCHEDULED_TRIES.processor });
  t.like((await run.answer(null)).at(-1), {
    activity: 'findLostDisputes',
    ...SCHEDULED_TRIES.processor,
  });
  t.like((await run.answer(null)).at(-1), {
    activity: 'notifyOperators',
    ...SCHEDULED_TRIES.records,
  });
  t.deepEqual(await run.answer(null), [{ completed: { asked: 500, adopted: 4 } }]);
  const short = await start('reconcile', []);
  await short.answer({ adopted: 0 });
  t.like((await short.answer({ asked: 3, hasMore: false })).at(-1), {
    activity: 'refreshPayoutAccounts',
  });
});

test('upkeep removes each kind, then sums usage, each for at most 30 calls, and figures at last', async (t) => {
  const run = await start('upkeep', []);
  const steps = ['removeOldRateWindows', 'removeEndedSessions', 'removeDeadAuthorizations'];
  for (const [index, activity] of steps.entries()) {
    t.deepEqual(run.asked(), [step(activity)]);
    await run.answer({ removed: index + 1 });
  }
  t.like(run.asked().at(-1), { activity: 'watchEndpoints' });
  await run.answer(null);
  for (let call = 1; call <= 30; call += 1) {
    t.like(run.asked().at(-1), { activity: 'removeOldRecords' });
    await run.answer(true);
  }
  for (let call = 1; call <= 30; call += 1) {
    t.like(run.asked().at(-1), { activity: 'sumUsage', ...SCHEDULED_TRIES.reviews });
    await run.answer(true);
  }
  t.like(run.asked().at(-1), { activity: 'sumFigures', ...SCHEDULED_TRIES.reviews });
  await run.answer(null);
  t.deepEqual(run.asked(), [{ completed: { rateWindows: 1, sessions: 2, authorizations: 3 } }]);
  const short = await start('upkeep', []);
  for (const removed of [0, 0, 0]) await short.answer({ removed });
  await short.answer(null);
  t.like((await short.answer(false)).at(-1), { activity: 'sumUsage' });
  t.like((await short.answer(false)).at(-1), { activity: 'sumFigures' });
  t.true('completed' in (await short.answer(false)).at(-1)!);
});

test('a step of a schedule that goes on failing keeps no step after it from running', async (t) => {
  for (const [type, steps] of [
    ['sweep', ['sweepOverdue', 'watchWorkflows']],
    [
      'reconcile',
      [
        'adoptEarlyEvents',
        'askUnresolved',
        'refreshPayoutAccounts',
        'findLostDisputes',
        'notifyOperators',
      ],
    ],
    [
      'upkeep',
      [
        'removeOldRateWindows',
        'removeEndedSessions',
        'removeDeadAuthorizations',
        'watchEndpoints',
        'removeOldRecords',
        'sumUsage',
        'sumFigures',
      ],
    ],
  ] as const) {
    const run = await start(type, []);
    for (const activity of steps) {
      t.like(run.asked().at(-1), { activity });
      await run.fail(`${activity} failed`);
    }
    t.like(run.asked().at(-1), { failed: `${steps[0]} failed` }, 'the first error ends the run');
  }
});

test('digests are queued call by call, 100 at most', async (t) => {
  const run = await start('salesDigest', []);
  for (let call = 1; call <= 100; call += 1) {
    t.deepEqual(run.asked().at(-1), records('queueSalesDigests'));
    await run.answer({ queued: 100, isAnyLeft: true });
  }
  t.deepEqual(run.asked(), [{ completed: { queued: 10_000 } }]);
  const short = await start('salesDigest', []);
  await short.answer({ queued: 100, isAnyLeft: true });
  t.deepEqual(await short.answer({ queued: 7, isAnyLeft: false }), [
    { completed: { queued: 107 } },
  ]);
});

test('sweep and the checks return what their activities found', async (t) => {
  const sweep = await start('sweep', []);
  t.deepEqual(sweep.asked(), [step('sweepOverdue')]);
  t.deepEqual(await sweep.answer({ mail: 1 }), [step('watchWorkflows')]);
  t.deepEqual(await sweep.answer({ sendMail: 2 }), [
    { completed: { overdue: { mail: 1 }, failing: { sendMail: 2 } } },
  ]);
  for (const [type, activity] of [
    ['ledgerCheck', 'checkLedger'],
    ['referenceCheck', 'checkReferences'],
  ] as const) {
    const run = await start(type, []);
    t.deepEqual(run.asked(), [records(activity)]);
    t.deepEqual(await run.answer({ USD: '1' }), [{ completed: { USD: '1' } }]);
  }
});

const NONE = { reviewed: 0, earned: 0, noticed: 0, lost: 0 };

test('the review of seals goes page by page, and tells how far it is', async (t) => {
  const run = await start('sealReview', []);
  const page = (after: string | null, reviewed: number, week: string | null = '2026-11-23') => ({
    activity: 'reviewSeals',
    input: { week, after },
    summary: `after ${reviewed} products`,
    ...TRIES.reviews,
  });
  t.deepEqual(run.asked(), [page(null, 0, null)]);
  const first = {
    week: '2026-11-23',
    after: 'p100',
    reviewed: 100,
    earned: 2,
    noticed: 1,
    lost: 0,
  };
  t.deepEqual(await run.answer(first), [
    { attributes: { Status: 'reviewing' } },
    page('p100', 100),
  ]);
  t.is(
    await run.details(),
    'reviewing: week of 2026-11-23, 100 products, 2 earned, 1 noticed, 0 lost',
  );
  const last = { ...NONE, week: '2026-11-23', after: null, reviewed: 3, lost: 1 };
  t.deepEqual(await run.answer(last), [
    { attributes: { Status: 'reviewed' } },
    { completed: { ...first, after: null, reviewed: 103, lost: 1 } },
  ]);
});

test('a review with a long history goes on in a new run', async (t) => {
  const run = await start('sealReview', []);
  run.grow();
  const page = { ...NONE, week: '2026-11-23', after: 'p100', reviewed: 100 };
  t.deepEqual((await run.answer(page)).at(-1), { continued: 'sealReview', args: [page] });
  const next = await start('sealReview', [page]);
  t.like(next.asked().at(-1), { input: { week: '2026-11-23', after: 'p100' } });
  next.grow();
  const last = await next.answer({ ...NONE, week: '2026-11-23', after: null, reviewed: 3 });
  t.like(last.at(-1), { completed: { reviewed: 103 } }, 'the last page ends it');
});

test('a wait reads as a person would say it', (t) => {
  const words: [number, string][] = [
    [-5, '0 s'],
    [1, '1 s'],
    [59_000, '59 s'],
    [59_001, '1 min'],
    [60_000, '1 min'],
    [30 * 60_000, '30 min'],
    [119 * 60_000, '119 min'],
    [120 * 60_000, '2 h'],
    [47 * 3_600_000, '47 h'],
    [47.5 * 3_600_000, '48 h'],
    [48 * 3_600_000, '2 d'],
    [60 * 86_400_000, '60 d'],
    [60.5 * 86_400_000, '61 d'],
  ];
  for (const [milliseconds, expected] of words) t.is(inWords(milliseconds), expected);
});

test('a run that retries says what it is about, what is ahead and what was answered', (t) => {
  const about = 'purchase.completed to api.example';
  const ahead = { dueAt: '2026-01-01T00:01:00.000Z', retry: 'retry 1 of 5' };
  const described = { status: 'retrying', about, ...ahead, lastResponse: 'last answer 503' };
  t.is(
    describeRetries(described),
    `retrying: ${about}; retry 1 of 5 due 2026-01-01T00:01:00.000Z; last answer 503`,
  );
  t.is(describeRetries({ ...described, dueAt: null }), `retrying: ${about}; last answer 503`);
  t.is(lastResponseOf({ lastStatusCode: 503, lastError: 'http_status' }), 'last answer 503');
  t.is(lastResponseOf({ lastStatusCode: null, lastError: 'timeout' }), 'last answer timeout');
  t.is(lastResponseOf({ lastStatusCode: null, lastError: null }), 'last answer none yet');
});

test('a reading says what led to it', (t) => {
  t.is(summarize([]), 'asking again');
  t.is(summarize([message('1', 'paid'), message('2', 'late')]), 'received: paid, late');
});

import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { addLine, addPayout, addPeriod, addReview } from '../../../support/pool/period-rows.ts';
import { arrivalOf, noticeOf } from '../../../support/http/arrival.ts';
import { makeStale } from '../../../support/identity/proving.ts';
import { people, operator, otherOperator, builder } from './pool.scene.ts';

const { api } = people;
const { query } = api.test;
const [one, other] = [operator, otherOperator];

const pathOf = (id: string) => `/operator/pool/periods/${id}`;
const show = async (path: string) => (await one.browser.get(path)).text();
const auditOf = (action: string) =>
  query<{ subject: string; actor_id: string; detail: Record<string, string> }>(
    'select subject, actor_id, detail from audit where action = $1 order by at, id',
    [action],
  );
const statusOf = async (id: string) => {
  const [row] = await query<{ status: string }>('select status from pool_period where id = $1', [
    id,
  ]);
  return row!.status;
};
const messagesTo = (id: string) =>
  query<{ kind: string }>(
    `select message->>'kind' as kind from outbox where workflow_id = $1 order by id`,
    [`pool:${id}`],
  );

let year = 2000;

async function reviewedPeriod() {
  const id = `${(year += 1)}-11:EUR`;
  await addPeriod(api.test, { id, status: 'in_review' });
  const owner = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner });
  await addLine(api.test, {
    periodId: id,
    productId: product.id,
    personId: owner.id,
    amountMinor: 50_000,
  });
  await addReview(api.test, { periodId: id, productId: product.id });
  return { id, path: pathOf(id), product, owner };
}

const decide = (path: string, fields: Record<string, string>, who = one) =>
  who.browser.submit(path, { action: `${path}/review`, fields });

const holdsOf = (productId: string) =>
  query<{ reason: string; released_at: Date | null }>(
    'select reason, released_at from pool_hold where product_id = $1 order by held_at',
    [productId],
  );

test.serial('a month in review shows its balance, its review list and its products', async (t) => {
  const { path, product } = await reviewedPeriod();
  const page = (await show(path)).replaceAll(/\s+/g, ' ');
  t.regex(
    page,
    /1,000\.00 EUR fees = 300\.00 EUR platform \+ 500\.00 EUR products \+ 200\.00 EUR un/,
  );
  t.regex(page, /aria-current="step" data-status="in_review"/);
  t.regex(page, /data-figure="single_product"> [^<]*<strong>97\.3 %<\/strong>, above 80 %/);
  t.true(page.indexOf('<h2>Review</h2>') < page.indexOf('<h2>Products</h2>'));
  t.true(page.includes('data-chart="split"'));
  t.true(page.includes(`/console/products/${product.slug}`));
});

test.serial('of two operators who approve at once one wins, and the other is told', async (t) => {
  const { id, path } = await reviewedPeriod();
  const answers = await Promise.all(
    [one, other].map(({ browser }) => browser.submit(path, { action: `${path}/approve` })),
  );
  t.deepEqual(answers.map(arrivalOf).toSorted(), [
    `${path} period_approved`,
    `${path} period_not_in_review`,
  ]);
  t.is(await statusOf(id), 'approved');
  t.deepEqual(await messagesTo(id), [{ kind: 'approved' }]);
  const approved = (await auditOf('pool.approved')).filter(({ subject }) => subject === id);
  t.is(approved.length, 1);
});

for (const status of [
  'open',
  'frozen',
  'computed',
  'approved',
  'paying',
  'paid',
  'empty',
] as const) {
  test.serial(`a month that is ${status} is not approved`, async (t) => {
    const id = `${(year += 1)}-10:USD`;
    await addPeriod(api.test, { id, status });
    const path = pathOf(id);
    const response = await one.browser.submit(path, { action: `${path}/approve` });
    t.is(noticeOf(response), 'period_not_in_review');
    t.is(await statusOf(id), status);
    t.deepEqual(await messagesTo(id), []);
  });
}

test.serial('a product is held once, with a reason, and released once', async (t) => {
  const { path, product } = await reviewedPeriod();
  const hold = { action: 'hold', product: product.id, reason: 'Days at night only.' };
  const answers = await Promise.all([one, other].map((who) => decide(path, hold, who)));
  t.deepEqual(answers.map(noticeOf).toSorted(), ['pool_product_held', 'unchanged']);
  t.like(await holdsOf(product.id), [{ reason: 'Days at night only.', released_at: null }]);
  t.regex(await show(path), /data-held>\s*Held/);
  const release = { action: 'release', product: product.id, reason: 'They run a night school.' };
  const released = await Promise.all([one, other].map((who) => decide(path, release, who)));
  t.deepEqual(released.map(noticeOf).toSorted(), ['pool_product_released', 'unchanged']);
  t.truthy((await holdsOf(product.id))[0]!.released_at);
  t.is(noticeOf(await decide(path, hold)), 'pool_product_held', 'it can be held again');
  t.is((await holdsOf(product.id)).length, 2);
  const audits = await auditOf('pool.released');
  const audit = audits.find(({ subject }) => subject === product.id);
  t.is(audit!.detail['reason'], 'They run a night school.');
});

test.serial('a hold without a reason that can be kept is refused in place', async (t) => {
  const { path, product } = await reviewedPeriod();
  for (const reason of ['', '   ', 'x'.repeat(501), 'a\0b']) {
    const response = await decide(path, { action: 'hold', product: product.id, reason });
    t.is(response.status, 422, reason);
    t.regex(await response.text(), /id="reason-problem"/);
  }
  t.is((await decide(path, { action: 'hold', product: 'x', reason: 'A' })).status, 400);
  t.is((await decide(path, { action: 'burn', product: product.id, reason: 'A' })).status, 400);
  const nobody = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
  t.is((await decide(path, { action: 'hold', product: nobody, reason: 'A' })).status, 404);
  t.deepEqual(await holdsOf(product.id), []);
});

test.serial('a preview of an open month is asked for once, and awaited', async (t) => {
  const id = `${(year += 1)}-09:EUR`;
  await addPeriod(api.test, { id, status: 'open' });
  const path = pathOf(id);
  const ask = () => one.browser.submit(path, { action: `${path}/preview` });
  const answers = await Promise.all([ask(), ask()]);
  t.deepEqual(answers.map(noticeOf).map(String).toSorted(), ['null', 'preview_refused']);
  t.deepEqual(await messagesTo(id), [{ kind: 'preview' }]);
  t.is((await auditOf('pool.previewed')).length, 1);
  const waiting = await one.browser.get(path);
  t.regex(waiting.headers.get('refresh') ?? '', /^2; url=.*since=\d+$/);
  t.regex(await waiting.text(), /data-wait/);
  const product = await api.seed.product();
  const figures = {
    poolShareBps: 7_000,
    feesMinor: '1998',
    platformMinor: '600',
    productsMinor: '699',
    unattributedMinor: '699',
    members: 2,
    membersWithoutDays: 1,
    products: [{ productId: product.id, amountMinor: '699', members: 1, qualifiedDays: 27 }],
  };
  const made = `update pool_preview set figures = $2, computed_at = gatehouse_now() where period_id = $1`;
  await query(made, [id, JSON.stringify(figures)]);
  const shown = await one.browser.get(path);
  t.is(shown.headers.get('refresh'), null);
  t.regex(await shown.text(), new RegExp(`${product.name}[\\s\\S]*6\\.99 <small>EUR`));
  t.is(arrivalOf(await ask()), path, 'again at will');
});

test.serial('a preview that nobody finishes can be asked for again', async (t) => {
  const id = `${(year += 1)}-09:EUR`;
  await addPeriod(api.test, { id, status: 'open' });
  const path = pathOf(id);
  const ask = () => one.browser.submit(path, { action: `${path}/preview` });
  t.is(arrivalOf(await ask()), path);
  await query(
    `update pool_preview set requested_at = requested_at - interval '11 minutes' where period_id = $1`,
    [id],
  );
  t.is(arrivalOf(await ask()), path);
});

test.serial('a frozen month has no preview any more', async (t) => {
  const { id, path } = await reviewedPeriod();
  const response = await one.browser.submit(path, { action: `${path}/preview` });
  t.is(noticeOf(response), 'preview_refused');
  t.deepEqual(await messagesTo(id), []);
  t.notRegex(await show(path), /<h2>Preview<\/h2>/);
});

test.serial('a download is the stored bytes', async (t) => {
  const { id, path } = await reviewedPeriod();
  const text = Buffer.from('{"format":"pool"}\n'.repeat(200_000));
  const bytes = gzipSync(text, { level: 0 });
  const part = 1024 * 1024;
  for (let number = 0; number * part < bytes.length; number += 1) {
    const slice = bytes.subarray(number * part, (number + 1) * part);
    const sql = `insert into pool_file_part (period_id, file, number, bytes) values ($1, $2, $3, $4)`;
    await query(sql, [id, 'snapshot', number, slice]);
  }
  t.true(bytes.length > 3 * part);
  const response = await one.browser.get(`${path}/files/snapshot`, { 'accept-encoding': 'gzip' });
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'application/gzip');
  t.is(response.headers.get('content-encoding'), null, 'it is not packed twice');
  t.is(
    response.headers.get('content-disposition'),
    `attachment; filename="pool-${id.slice(0, 7)}-EUR-snapshot.json.gz"`,
  );
  const received = Buffer.from(await response.arrayBuffer());
  t.true(received.equals(bytes));
  t.true(gunzipSync(received).equals(text));
  t.is((await one.browser.get(`${path}/files/statement`)).status, 404);
  t.is((await one.browser.get(`${path}/files/key`)).status, 400);
});

test.serial('a file that is still written is no download', async (t) => {
  const id = `${(year += 1)}-11:EUR`;
  await addPeriod(api.test, { id, status: 'open' });
  const sql = `insert into pool_file_part (period_id, file, number, bytes) values ($1, $2, 0, 'x')`;
  await query(sql, [id, 'snapshot']);
  t.is((await one.browser.get(`${pathOf(id)}/files/snapshot`)).status, 404);
});

test.serial('nobody but an operator is told that there is a pool', async (t) => {
  const { path } = await reviewedPeriod();
  const pages = ['', '/payouts', '/exclusions', '/settings', '/payouts/totals.csv?year=2026'];
  const paths = [...pages.map((end) => `/operator/pool${end}`), path, `${path}/files/snapshot`];
  for (const each of paths) t.is((await builder.browser.get(each)).status, 404, each);
});

test.serial('a month that is not there has no page', async (t) => {
  for (const id of ['1999-01:EUR', '2026-13:EUR', 'x', '2026-11:eur', "2026-11:E'R", '%00']) {
    t.is((await one.browser.get(pathOf(id))).status, 404, id);
  }
});

test.serial('months are listed by their ids, the newest first, with their problems', async (t) => {
  const id = '2999-12:USD';
  await addPeriod(api.test, { id, status: 'approved', problem: 'Transfers are <not> proven.' });
  const page = await show('/operator/pool');
  t.regex(page, /data-problem>Transfers are &lt;not&gt; proven\./);
  const ids = [...page.matchAll(/href="\/operator\/pool\/periods\/([^"]+)"/g)].map(([, it]) => it!);
  t.deepEqual(ids, ids.toSorted().toReversed());
  t.is(ids[0], id);
  const later = await show(`/operator/pool?before=${ids[1]}`);
  t.false(later.includes(`periods/${id}`));
  t.is((await one.browser.get('/operator/pool?before=x')).status, 400);
  const overview = await show('/operator');
  t.regex(overview, /data-pool-period="2999-12:USD"/);
  t.true((await show(pathOf(id))).includes('Transfers are &lt;not&gt; proven.'));
});

test.serial('a month and a payout are found by their ids', async (t) => {
  const { id, path, owner } = await reviewedPeriod();
  const payoutId = `pool-${id.slice(0, 7)}-${owner.id}-EUR`;
  await addPayout(api.test, { id: payoutId, periodId: id, personId: owner.id, status: 'failed' });
  for (const typed of [id, `pool:${id}`, payoutId]) {
    const found = await one.browser.get(`/operator/find?q=${encodeURIComponent(typed)}`);
    t.is(found.headers.get('location'), path, typed);
  }
  t.regex(await show(path), new RegExp(`${payoutId}[\\s\\S]*data-state="failed"`));
});

test.serial(
  'a code for Temporal is shown to an operator with fresh proof, of a month in review',
  async (t) => {
    const { id, path } = await reviewedPeriod();
    const action = `${path}/approval-code`;
    const ask = (who = one, at = action) => who.browser.submit(path, { action: at });
    const shown = await ask();
    t.is(shown.status, 200);
    t.is(shown.headers.get('cache-control'), 'no-store');
    const page = await shown.text();
    const [, code] = /data-approval-code>([^<]+)</.exec(page)!;
    t.regex(
      page.replaceAll(/\s+/g, ' '),
      /It works once, until .* The history of the workflow keeps the code/,
    );
    const [person, sum] = code!.split('.');
    t.is(person, one.person.id);
    const [row] = await query<{ sum: string }>(
      'select products_minor::text as sum from pool_period where id = $1',
      [id],
    );
    t.is(sum, row!.sum);
    t.is(await statusOf(id), 'in_review', 'it approves nothing by itself');
    t.false((await show(path)).includes(code!), 'shown once');
    t.is((await ask(builder)).status, 404);
    const packed = await one.browser.submit(path, {
      action,
      headers: { 'accept-encoding': 'gzip' },
    });
    t.is(packed.headers.get('content-encoding'), null);
    const stale = await people.signedIn(await api.seed.person({ isOperator: true }));
    await makeStale(api, stale.person);
    t.is((await ask(stale)).status, 403);
    await addPeriod(api.test, { id: `${(year += 1)}-11:EUR`, status: 'open' });
    t.is(
      noticeOf(await ask(one, `${pathOf(`${year}-11:EUR`)}/approval-code`)),
      'period_not_in_review',
    );
  },
);

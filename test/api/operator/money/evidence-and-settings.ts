import test from 'ava';
import { noticeOf } from '../../../support/http/arrival.ts';
import { people, operator, builder, month } from './pool.scene.ts';

const { api } = people;
const { query } = api.test;

const EXCLUSIONS = '/operator/pool/exclusions';
const SETTINGS = '/operator/pool/settings';

async function evidence(qualifyingDays = 1) {
  const person = await api.seed.person();
  const product = await api.seed.product();
  await query(
    `insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
       heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
     values ($1, $2, $3, gatehouse_now(), gatehouse_now(), 0, 1, 0, 0, 0, $4)`,
    [person.id, product.id, `${month}-01`, qualifyingDays],
  );
  return { person, product };
}

const exclude = (fields: Record<string, string>) =>
  operator.browser.submit(EXCLUSIONS, { action: EXCLUSIONS, fields });

const exclusionsOf = (productId: string) =>
  query<{ person_id: string; reason: string; excluded_by: string }>(
    'select person_id, reason, excluded_by from pool_exclusion where product_id = $1',
    [productId],
  );

const auditOf = (action: string, subject: string) =>
  query<{ detail: Record<string, string> }>(
    'select detail from audit where action = $1 and subject = $2 order by at, id',
    [action, subject],
  );

for (const [words, name] of [
  ['a handle', ({ handle }: { handle: string }) => handle],
  ['a handle as it is shown', ({ handle }: { handle: string }) => `@${handle}`],
  ['an email address', ({ email }: { email: string }) => email.toUpperCase()],
  ['an id', ({ id }: { id: string }) => id],
] as const) {
  test.serial(`evidence is excluded with a reason, of a person by ${words}`, async (t) => {
    const { person, product } = await evidence();
    const typed = { person: name(person as never), product: product.slug, month };
    const response = await exclude({ ...typed, reason: ' Made  by a script ' });
    t.is(noticeOf(response), 'evidence_excluded');
    t.deepEqual(await exclusionsOf(product.id), [
      { person_id: person.id, reason: 'Made by a script', excluded_by: operator.person.id },
    ]);
    const [audit] = await auditOf('pool.excluded', product.id);
    t.like(audit!.detail, { personId: person.id, month, reason: 'Made by a script' });
    const page = await (await operator.browser.get(EXCLUSIONS)).text();
    t.true(page.includes(person.handle) && page.includes('Made by a script'));
  });
}

test.serial('of two operators who exclude the same evidence one does', async (t) => {
  const { person, product } = await evidence();
  const fields = { person: person.handle, product: product.id, month, reason: 'Made' };
  const answers = await Promise.all([exclude(fields), exclude(fields)]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
  const refused = answers.find(({ status }) => status === 422)!;
  t.regex(await refused.text(), /These days are excluded already\./);
  t.is((await exclusionsOf(product.id)).length, 1);
  t.is((await auditOf('pool.excluded', product.id)).length, 1);
});

test.serial('what cannot be excluded is refused in place, with what was typed', async (t) => {
  const { person, product } = await evidence();
  const none = await evidence(0);
  const right = { person: person.handle, product: product.slug, month, reason: 'Made' };
  const cases: [Record<string, string>, RegExp][] = [
    [{ person: 'nobody_at_all' }, /id="person-problem"[^>]*>No account/],
    [{ person: '' }, /id="person-problem"/],
    [{ person: '%_' }, /id="person-problem"/],
    [{ product: 'no-such-product' }, /id="product-problem"[^>]*>No product/],
    [{ month: '2026-13' }, /id="month-problem"[^>]*>Enter a month/],
    [{ month: '2999-01' }, /id="month-problem"[^>]*>Enter a month/],
    [{ month: '2001-01' }, /id="month-problem"[^>]*>This person has no qualified day/],
    [{ product: none.product.slug }, /id="month-problem"[^>]*>This person has no qualified/],
    [
      { person: none.person.handle, product: none.product.slug },
      /id="month-problem"[^>]*>This person has no qualified/,
    ],
    [{ reason: ' ' }, /id="reason-problem"/],
    [{ reason: 'x'.repeat(501) }, /id="reason-problem"/],
  ];
  for (const [change, words] of cases) {
    const response = await exclude({ ...right, ...change });
    t.is(response.status, 422, JSON.stringify(change));
    const page = await response.text();
    t.regex(page, words);
    t.true(page.includes(`value="${change['product'] ?? product.slug}"`));
  }
  t.is((await exclude({ ...right, reason: 'a\0b' })).status, 400);
  t.is((await exclude({ person: person.handle })).status, 400);
  t.deepEqual(await exclusionsOf(product.id), []);
  t.deepEqual(await exclusionsOf(none.product.id), []);
  const key = `${person.id}_${product.id}`;
  for (const before of ['x', `${key}_2026-13`, `${key}_0000-01`, `x${key}_2026-11`]) {
    t.is((await operator.browser.get(`${EXCLUSIONS}?before=${before}`)).status, 400, before);
  }
});

test.serial('a page of exclusions continues among those of one instant', async (t) => {
  const { person, product } = await evidence();
  const other = await evidence();
  for (const productId of [product.id, other.product.id]) {
    await query(
      `insert into pool_exclusion
       select $1, $2, ('2020-01-01'::date + month * interval '1 month')::date, 'At once', $3, '2100-01-01'
       from generate_series(0, 39) month`,
      [person.id, productId, operator.person.id],
    );
  }
  const reasons = (page: string) => page.match(/class="typed">At once</g)?.length ?? 0;
  const read = async (path: string) => {
    const page = await (await operator.browser.get(path)).text();
    const next = /href="([^"]*)" rel="next"/.exec(page)?.[1]!.replaceAll('&amp;', '&');
    return { page, next };
  };
  const first = await read(EXCLUSIONS);
  const second = await read(first.next!);
  t.deepEqual([reasons(first.page), reasons(second.page)], [50, 30]);
});

const set = (share: string, minimum: string, who = operator) =>
  who.browser.submit(SETTINGS, { action: SETTINGS, fields: { share, minimum } });

const settings = () =>
  query<{ pool_share_bps: number; minimum_minor: number }>(
    'select pool_share_bps, minimum_minor::int as minimum_minor from pool_setting order by id',
  );

test.serial('the share and the minimum are set with their history', async (t) => {
  t.is(noticeOf(await set(' 7250 ', '1500')), 'pool_setting_set');
  t.is(noticeOf(await set('7250', '1500')), 'unchanged');
  t.deepEqual(await settings(), [
    { pool_share_bps: 7_000, minimum_minor: 1_000 },
    { pool_share_bps: 7_250, minimum_minor: 1_500 },
  ]);
  const page = await (await operator.browser.get(SETTINGS)).text();
  t.regex(page, /7,250[\s\S]*From the start[\s\S]*7,000/);
  t.deepEqual(await auditOf('pool.setting_set', 'pool_setting'), [
    { detail: { share: '7000 to 7250', minimum: '1000 to 1500' } },
  ]);
});

test.serial('settings that are no whole numbers of their range are refused in place', async (t) => {
  const before = await settings();
  for (const typed of ['', '-1', '10001', '12.5', '1e3', 'all']) {
    const response = await set(typed, '1000');
    t.is(response.status, 422, typed);
    t.regex(await response.text(), /id="share-problem"/);
  }
  for (const typed of ['', '0', '-1', '1.5', '9999999999999', 'none']) {
    const response = await set('7000', typed);
    t.is(response.status, 422, typed);
    t.regex(await response.text(), /id="minimum-problem"/);
  }
  t.deepEqual(await settings(), before);
});

test.serial('of settings made at once each is told what held before it', async (t) => {
  await Promise.all(['100', '200', '300'].map((share) => set(share, '1000')));
  const told = (await auditOf('pool.setting_set', 'pool_setting')).slice(-3);
  t.is(new Set(told.map(({ detail }) => detail['share']!.split(' ')[0])).size, 3);
});

test.serial('nobody but an operator changes anything of the pool', async (t) => {
  const { person, product } = await evidence();
  const before = await settings();
  t.is((await set('1', '1', builder)).status, 404);
  const fields = { person: person.handle, product: product.slug, month, reason: 'Made' };
  const response = await builder.browser.submit('/console', { action: EXCLUSIONS, fields });
  t.is(response.status, 404);
  t.deepEqual(await settings(), before);
  t.deepEqual(await exclusionsOf(product.id), []);
});

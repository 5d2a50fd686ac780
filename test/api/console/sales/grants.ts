import test from 'ava';
import { erasePerson, lockPerson } from '../../../../domain/identity/account.repository.ts';
import { isSomebodyWaiting } from '../../../support/engines/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { signInAgain } from '../../../support/identity/proving.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { api, owner, browser } from './scene.ts';

const HOUR_MS = 3_600_000;

async function newStory() {
  const product = await api.seed.product({ owner });
  const person = await api.seed.person();
  const path = `/console/products/${product.slug}/grants`;
  const grant = (fields: Record<string, string> = {}) =>
    browser.submit('/', {
      action: path,
      fields: { person: person.handle, starts_at: '', ends_at: '', ...fields },
    });
  const withdraw = (grantId: string) =>
    browser.submit('/', { action: `${path}/${grantId}`, fields: { action: 'withdraw' } });
  const events = async () => {
    const found = await api.test.query<{ name: string }>(
      'select name from event where product_id = $1 order by created_at, id',
      [product.id],
    );
    return found.map(({ name }) => name);
  };
  const check = async () => {
    const response = await fetch(`${api.url}/api/v1/entitlements?user_id=${person.id}`, {
      headers: { authorization: `Bearer ${product.liveKey}` },
    });
    return (await response.json()) as { active: boolean; source: string; ends_at: string | null };
  };
  const lastGrant = async () => {
    const [found] = await api.test.query<{ source: string }>(
      'select source from access_grant where product_id = $1 order by created_at desc limit 1',
      [product.id],
    );
    return found?.source ?? '';
  };
  return { product, person, path, grant, withdraw, events, check, lastGrant };
}

/** An instant from now, as the browser's field would send it. */
async function field(hours: number): Promise<string> {
  const [row] = await api.test.query<{ at: Date }>(
    `select gatehouse_now() + $1 * interval '1 hour' as at`,
    [hours],
  );
  return row!.at.toISOString().slice(0, 16);
}

test.serial('an operator grant or a team grant gives complimentary access at once', async (t) => {
  const { grant, check, events, lastGrant, path } = await newStory();
  const response = await grant();
  t.is(arrivalOf(response), `${path} granted`);
  const source = await lastGrant();
  t.regex(source, /^grant_[0-9A-Z]{26}$/);
  t.like(await check(), { active: true, type: 'complimentary', source, ends_at: null });
  t.deepEqual(await events(), ['entitlement.created']);
  t.regex(await (await browser.get(path)).text(), /data-state="active"/);
});

test.serial('a person is named by user id too, in either case', async (t) => {
  const { grant, check, person } = await newStory();
  await grant({ person: ` ${person.id.toUpperCase()} ` });
  t.like(await check(), { active: true });
});

test.serial('a grant may start and end later, and leaves by the clock alone', async (t) => {
  const { grant, check, path } = await newStory();
  const ends = await field(4);
  await grant({ starts_at: await field(2), ends_at: ends });
  t.like(await check(), { active: false, type: null });
  t.regex(await (await browser.get(path)).text(), /data-state="ahead"/);
  await api.test.advance(2 * HOUR_MS);
  t.like(await check(), { active: true, ends_at: `${ends}:00.000Z` });
  await api.test.advance(2 * HOUR_MS);
  t.like(await check(), { active: false, type: 'complimentary' });
  t.regex(await (await browser.get(path)).text(), /data-state="ended"/);
  await signInAgain(browser, owner);
});

test.serial('a grant withdrawn is entitlement.canceled with ends_at = now, once', async (t) => {
  const { grant, withdraw, check, events, lastGrant, product, path } = await newStory();
  await grant();
  const source = await lastGrant();
  const answers = await Promise.all(Array.from({ length: 4 }, () => withdraw(source)));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 404, 404, 404]);
  t.deepEqual(await events(), ['entitlement.created', 'entitlement.canceled']);
  const [event] = await api.test.query<{ data: Record<string, unknown> }>(
    `select data from event where product_id = $1 and name = 'entitlement.canceled'`,
    [product.id],
  );
  const [row] = await api.test.query<{ withdrawn_at: Date }>(
    'select withdrawn_at from access_grant where source = $1',
    [source],
  );
  t.like(event!.data, { active: false, source, ends_at: row!.withdrawn_at.toISOString() });
  t.like(await check(), { active: false, ends_at: row!.withdrawn_at.toISOString() });
  t.regex(await (await browser.get(path)).text(), /data-state="withdrawn"/);
});

test.serial('a grant withdrawn beside another source is told to nobody', async (t) => {
  const { grant, withdraw, check, events, lastGrant, product, person } = await newStory();
  await api.seed.grant({ productId: product.id, personId: person.id });
  await grant();
  await withdraw(await lastGrant());
  t.like(await check(), { active: true, type: 'purchase' });
  t.deepEqual(await events(), ['entitlement.created']);
});

test.serial('each grant and each withdrawal leaves one audit row', async (t) => {
  const { grant, withdraw, lastGrant, product, person } = await newStory();
  await grant();
  const source = await lastGrant();
  await withdraw(source);
  await withdraw(source);
  await grant({ person: 'nobody_here' });
  const audit = await api.test.query(
    'select action, subject, detail from audit where product_id = $1 order by at, id',
    [product.id],
  );
  t.deepEqual(audit, [
    { action: 'grant.made', subject: source, detail: { personId: person.id } },
    { action: 'grant.withdrawn', subject: source, detail: {} },
  ]);
});

test.serial('what cannot be granted is refused in place, and nothing is written', async (t) => {
  const { grant, events, path, product } = await newStory();
  const bad: [Record<string, string>, RegExp][] = [
    [{ person: 'nobody_here' }, /person-problem/],
    [{ person: '' }, /person-problem/],
    [{ ends_at: await field(-1) }, /ends_at-problem/],
    [{ starts_at: await field(3), ends_at: await field(2) }, /ends_at-problem/],
    [{ starts_at: '2027-02-31T00:00' }, /starts_at-problem/],
    [{ ends_at: 'tomorrow' }, /ends_at-problem/],
    [{ ends_at: '9999-12-31T23:59' }, /ends_at-problem/],
  ];
  for (const [fields, expected] of bad) {
    const response = await grant(fields);
    t.is(response.status, 422, JSON.stringify(fields));
    t.regex(await response.text(), expected, JSON.stringify(fields));
  }
  t.is((await grant({ person: 'a\0' })).status, 400);
  t.is((await browser.get(`${path}?before=x&before=y`)).status, 200);
  t.deepEqual(await events(), []);
  const written = await api.test.query('select 1 from entitlement where product_id = $1', [
    product.id,
  ]);
  t.deepEqual(written, []);
});

test.serial('a form that is sent twice makes one grant', async (t) => {
  const { grant, events, path, product } = await newStory();
  const form = await (await browser.get(path)).text();
  const [, id = ''] = /name="grant" value="([^"]+)"/.exec(form) ?? [];
  const answers = await Promise.all([1, 2, 3].map(() => grant({ grant: id })));
  for (const answer of answers) t.is(arrivalOf(answer), `${path} granted`);
  const count = async (table: 'access_grant' | 'audit') =>
    (await api.test.query(`select 1 from ${table} where product_id = $1`, [product.id])).length;
  t.is(await count('access_grant'), 1);
  t.is(await count('audit'), 1);
  t.deepEqual(await events(), ['entitlement.created']);
  await grant();
  t.is(await count('access_grant'), 2, 'without an id each form is a grant of its own');
});

test.serial('the id of another grant grants nothing', async (t) => {
  const [one, other] = [await newStory(), await newStory()];
  const form = await (await browser.get(one.path)).text();
  const [, id = ''] = /name="grant" value="([^"]+)"/.exec(form) ?? [];
  t.is((await one.grant({ grant: id })).status, 303);
  for (const refused of [
    await other.grant({ grant: id }),
    await one.grant({ grant: id, person: other.person.handle }),
  ]) {
    t.is(refused.status, 422);
    const page = await refused.text();
    t.regex(page, /person-problem/);
    t.false(page.includes(`name="grant" value="${id}"`), 'the next try has an id of its own');
  }
  t.is((await one.grant({ grant: 'x' })).status, 400);
  t.deepEqual(await other.events(), []);
  t.like(await one.check(), { active: true });
  const grants = await api.test.query('select 1 from access_grant where person_id = any($1)', [
    [one.person.id, other.person.id],
  ]);
  t.is(grants.length, 1);
});

test.serial('nobody gains access whose account is deleted at the same moment', async (t) => {
  const { grant, check, events, person } = await newStory();
  const { granting } = await api.database.transaction(async (em) => {
    await lockPerson(em, person.id);
    const asked = { granting: grant() };
    await eventually(() => isSomebodyWaiting(api.test), Boolean);
    await erasePerson(em, person.id);
    return asked;
  });
  const response = await granting;
  t.is(response.status, 422);
  t.regex(await response.text(), /person-problem/);
  t.like(await check(), { active: false });
  t.deepEqual(await events(), []);
});

test.serial('grants are paged by their place, the newest first', async (t) => {
  const { path, product, person } = await newStory();
  await api.test.query(
    `insert into access_grant (id, product_id, person_id, type, source, starts_at, created_at)
     select gen_random_uuid(), $1, $2, 'complimentary', 'grant_' || lpad(n::text, 26, '0'),
       gatehouse_now(), gatehouse_now() - n * interval '1 minute' from generate_series(1, 60) n`,
    [product.id, person.id],
  );
  const first = await (await browser.get(path)).text();
  const [, before = ''] = /before=(grant_\d+)/.exec(first) ?? [];
  t.is(before, `grant_${'50'.padStart(26, '0')}`);
  const second = await (await browser.get(`${path}?before=${before}`)).text();
  t.is([...second.matchAll(/data-state="active"/g)].length, 10);
  t.false(second.includes('rel="next"'));
});

test.serial(
  'a stranger sees no grants, and grants of one product are not withdrawn at another',
  async (t) => {
    const mine = await newStory();
    const other = await newStory();
    await mine.grant();
    t.is((await other.withdraw(await mine.lastGrant())).status, 404);
    t.like(await mine.check(), { active: true });
    const stranger = api.browser();
    await stranger.signIn(await api.seed.person({ isBuilder: true }));
    t.is((await stranger.get(mine.path)).status, 404);
  },
);

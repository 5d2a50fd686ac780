import test from 'ava';
import { sumNextProduct } from '../../../../domain/usage/history/usage-sums.repository.ts';
import { readProfile } from '../../../support/identity/oauth.ts';
import { report } from '../../../support/catalog/usage.ts';
import { addUpChecks } from '../../../../domain/usage/check-count.query.ts';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { readText } from '../../../support/pages/read-page.ts';
import { teams, team, product, today } from './scene.ts';

const { api } = teams;
const path = `/console/products/${product.slug}/usage`;
const { browser } = team.members.viewer;

/** The cells of the day in a table, by heading. */
function cellsOf(page: string, day: string): Record<string, string>[] {
  const rows = [...page.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row]) =>
    Object.fromEntries(
      [...row!.matchAll(/data-heading="([^"]+)"[^>]*>\s*<div>([^]*?)<\/div>/g)].map(
        ([, name, value]) => [name!, /datetime="([^"]+)"/.exec(value!)?.[1] ?? readText(value!)],
      ),
    ),
  );
  return rows.filter((row) => row['Day (UTC)'] === day);
}

test.serial('a creator sees per day why usage counted or not, at once', async (t) => {
  const [active, idle, mine] = [
    await api.seed.token({ product, scope: 'identity entitlements' }),
    await api.seed.token({ product }),
    await api.seed.token({ product, person: team.members.owner.person }),
  ];
  const byKey = await api.seed.person();
  await api.seed.grant({ productId: product.id, personId: byKey.id });
  await report(api, active.token, { kind: 'session' });
  await report(api, active.token, { kind: 'heartbeat' });
  await readProfile(api, active.token);
  await report(api, idle.token, { kind: 'session' });
  await report(api, mine.token, { kind: 'activity' });
  await report(api, product.liveKey, { kind: 'activity', user_id: byKey.id });
  await report(api, product.testKey, { kind: 'activity', user_id: active.personId });

  const page = await (await browser.get(path)).text();
  const [reasons, sources] = cellsOf(page, today).slice(-2);
  t.deepEqual(reasons, {
    'Day (UTC)': today,
    People: '4',
    Qualified: '1',
    'Own team': '1',
    'Session only': '1',
    'API key only': '1',
    'Qualified Members': '–',
  });
  t.deepEqual(sources, {
    'Day (UTC)': today,
    Session: '2',
    Heartbeat: '1',
    Activity: '1',
    'Profile read': '1',
    'API key': '1',
  });
  t.regex(page, /data-days>1</);
  t.regex(page, /data-chart="usage-days"/);
  t.regex(page, /<option value="\d{4}-\d{2}" selected>/);
  for (const { personId } of [active, idle, mine, { personId: byKey.id }]) {
    t.false(page.includes(personId), 'nobody is named');
  }
});

test.serial('the file has the same days', async (t) => {
  t.is((await browser.get(`${path}/days.csv`)).status, 403, 'a viewer');
  t.notRegex(await (await browser.get(path)).text(), /days\.csv/);
  const { owner } = team.members;
  t.regex(await (await owner.browser.get(path)).text(), /days\.csv/);
  const response = await owner.browser.get(`${path}/days.csv`);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  const [head, ...lines] = (await response.text()).split('\r\n');
  t.is(
    head,
    'day_utc,people,qualified,own_team,session_only,no_person_token,qualified_members,people_with_session,people_with_heartbeat,people_with_activity,people_with_profile_read,people_with_by_key',
  );
  t.is(
    lines.find((line) => line.startsWith(today)),
    `${today},4,1,1,1,1,,2,1,1,1,1`,
  );
  t.is(lines.length, Number(today.slice(8)) + 1, 'every day up to today');
});

test.serial(
  'a month without usage says so, one that is none or has not begun is refused',
  async (t) => {
    const empty = await (await browser.get(`${path}?month=2026-01`)).text();
    t.regex(empty, /No usage in January 2026/);
    for (const month of ['2026-13', 'x', '2999-01']) {
      t.is((await browser.get(`${path}?month=${month}`)).status, 400, month);
      const file = await team.members.owner.browser.get(`${path}/days.csv?month=${month}`);
      t.is(file.status, 400, month);
    }
  },
);

test.serial('a team sees its products side by side', async (t) => {
  const page = await (await browser.get(`${team.path}/usage`)).text();
  const [row] = page.match(/<tr>(?:(?!<tr>)[^])*Qualified active days"[^]*?<\/tr>/) ?? [''];
  t.regex(row, new RegExp(`${path}\\?month=${today.slice(0, 7)}`));
  t.regex(row, /data-heading="Qualified active days" class="number">\s*<div>1</);
  t.notRegex(page, /each product's own page/);
  t.is((await browser.get(`${team.path}/usage?month=x`)).status, 400);
});

test.serial('a team with many products is told that some are not shown', async (t) => {
  await api.test.query(
    `with more as (
       insert into product (id, owner_team_id, name, tagline, commercial_operator_id, created_at)
       select gen_random_uuid(), owner_team_id, 'More', tagline, commercial_operator_id,
         gatehouse_now() from product, generate_series(1, 51) where id = $1 returning id)
     insert into product_slug (slug, product_id)
     select 'more-' || row_number() over (), id from more`,
    [product.id],
  );
  while ((await sumNextProduct(api.database)) !== null); // else the page counts every day
  const page = await (await browser.get(`${team.path}/usage`)).text();
  t.regex(page, /the team's first 50 products\. Usage of the other\s+2\s+is/);
});

test.serial('nobody else sees usage', async (t) => {
  const stranger = await teams.signedIn();
  t.is((await stranger.browser.get(path)).status, 404);
  t.is((await stranger.browser.get(`${path}/days.csv`)).status, 404);
  t.is((await stranger.browser.get(`${team.path}/usage`)).status, 404);
});

const rows = createDeliveryRows(api.test);

const findingsIn = (html: string) =>
  [...html.matchAll(/data-issue="(\w+)"/g)].map(([, code]) => code!);

test('diagnostics say what is misconfigured and count what happens', async (t) => {
  const team = await teams.team(['viewer']);
  const product = await teams.productOf(team);
  const path = `/console/products/${product.slug}/diagnostics`;
  const { browser } = team.members.viewer;
  const read = async () => (await browser.get(path)).text();
  t.deepEqual(findingsIn(await read()), ['no_oauth_client', 'no_endpoint']);

  await api.seed.client({ product, name: 'Web' });
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  t.regex(await read(), /data-healthy/);

  const made = { productId: product.id, endpointId };
  await rows.delivery({ ...made, status: 'dead' });
  await rows.delivery({ ...made, status: 'succeeded' });
  await rows.delivery({ ...made, status: 'dead', minutesAgo: 20 * 1_440 });
  const person = await api.seed.person();
  for (let n = 0; n < 3; n += 1) {
    const headers = { authorization: `Bearer ${product.liveKey}` };
    await api.request(`/api/v1/entitlements?user_id=${person.id}`, { headers });
  }
  await api.usage.close();
  await addUpChecks(api.database.pool, 100);
  const html = await read();
  t.deepEqual(findingsIn(html), ['dead_deliveries']);
  t.regex(html, /Accepted in 24 hours<\/span>\s*<span class="value">1</);
  t.regex(html, /Dead, held or cancelled<\/span>\s*<span class="value">1</);
  const today = new Date().toISOString().slice(0, 10);
  t.is(cellsOf(html, today)[0]?.['Live checks'], '3');
  t.regex(html, /data-heading="Last used \(UTC\)"/);
});

test('a product that is sold elsewhere has nothing to mend, one of others is not there', async (t) => {
  const team = await teams.team([]);
  const product = await teams.productOf(team, { delivery: 'affiliate' });
  const path = `/console/products/${product.slug}/diagnostics`;
  t.regex(await (await team.members.owner.browser.get(path)).text(), /sold elsewhere/);
  const stranger = await teams.signedIn();
  t.is((await stranger.browser.get(path)).status, 404);
});

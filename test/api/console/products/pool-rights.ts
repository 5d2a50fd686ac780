import test, { type ExecutionContext } from 'ava';
import { readRows } from '../../../support/pages/read-page.ts';
import { finance, membersOf, newPooled, pool, poolOf, read, team, teams } from './pool-scene.ts';

const { api } = teams;
const { browser } = finance;

test('the files have the same lines, and a name that a spreadsheet would run stays a text', async (t) => {
  const product = await newPooled({ name: '=SUM(A1), "x"' });
  const members = membersOf(11, { [product.id]: 2 });
  await pool.month({ month: '2025-08', members });
  const refund = { before: members[0]!, after: { ...members[0]!, netMinor: 0 } };
  await pool.month({
    month: '2025-09',
    members: members.slice(1),
    corrections: [{ of: '2025-08', personId: members[0]!.personId, ...refund }],
  });
  await pool.month({ month: '2025-10', status: 'computed', members });
  const response = await browser.get(`${poolOf(product)}/lines.csv`);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  t.is(
    response.headers.get('content-disposition'),
    `attachment; filename="${product.slug}-pool.csv"`,
  );
  const name = '"\'=SUM(A1), ""x"""';
  t.deepEqual((await response.text()).split('\r\n'), [
    'product,statement_month,currency,kind,month_of_use,amount,amount_minor,members,qualified_days,payout_status,paid_at_utc,payout_id',
    `${name},2025-10,USD,share,2025-10,,,,22,in_review,,`,
    `${name},2025-09,USD,share,2025-09,69.90,6990,10,20,payable,,`,
    `${name},2025-09,USD,correction,2025-08,-6.99,-699,1,0,payable,,`,
    `${name},2025-08,USD,share,2025-08,76.89,7689,11,22,payable,,`,
    '',
  ]);
  const month = await read(`${poolOf(product)}/2025-09/lines.csv`);
  const [, share, band, correction] = month.split('\r\n');
  const start = `${name},2025-09,USD`;
  t.true(
    share!.startsWith(`${start},share,2025-09,69.90,6990,10,20,,,,,payable,,7000,user-centric-1,`),
  );
  t.is(band, `${start},band,2025-09,69.90,6990,10,20,1,31,6990,20,,,,,,`);
  t.true(correction!.startsWith(`${start},correction,2025-08,-6.99,-699,1,0,,,,,payable`));
});

test('a long history comes in pages, and whole in the file', async (t) => {
  const product = await newPooled();
  const months = Array.from({ length: 26 }, (_, index) =>
    new Date(Date.UTC(2020, index)).toISOString().slice(0, 7),
  );
  const use = { [product.id]: 1 };
  for (const month of months) {
    await pool.month({ month, currency: 'EUR', members: membersOf(1, use) });
  }
  const first = await read(poolOf(product));
  t.is(readRows(first, 'Creator pool by month and currency').length, 24);
  const [, next] = /href="([^"]+)" rel="next"/.exec(first) ?? [];
  const second = await read(next!.replaceAll('&amp;', '&'));
  const names = readRows(second, 'Creator pool by month and currency').map(([name]) => name);
  t.deepEqual(names, ['Feb 2020', 'Jan 2020']);
  t.regex(second, /rel="first"/);
  const file = await read(`${poolOf(product)}/lines.csv`);
  t.is(file.trimEnd().split('\r\n').length, 27);
  t.is((await browser.get(`${poolOf(product)}?before=nonsense`)).status, 200);
});

const FILES = ['', '/lines.csv', '/2025-07', '/2025-07/lines.csv'];

test('money is shown to the roles that may see it, and a product sees itself alone', async (t) => {
  const [product, other] = [await newPooled(), await newPooled()];
  const person = await api.seed.person();
  const days = { [product.id]: 7, [other.id]: 11 };
  const others = membersOf(12, days);
  await pool.month({
    month: '2025-07',
    members: [...others, { personId: person.id, netMinor: 1_234, days }],
  });
  const statusOf = async (who: typeof browser, path: string) =>
    (await who.get(`${poolOf(product)}${path}`)).status;
  for (const role of ['owner', 'admin', 'finance', 'developer', 'viewer'] as const) {
    const may = role !== 'developer' && role !== 'viewer';
    for (const path of FILES) {
      t.is(await statusOf(team.members[role].browser, path), may ? 200 : 403, role + path);
    }
    const overview = await team.members[role].browser.get(`/console/products/${product.slug}`);
    t.is((await overview.text()).includes(`${poolOf(product)}"`), may, role);
  }
  const stranger = await teams.team([]);
  for (const path of FILES) t.is(await statusOf(stranger.members.owner.browser, path), 404, path);
  for (const path of FILES) {
    const shown = await read(`${poolOf(product)}${path}`);
    noOther(t, shown, [other.id, other.slug, person.id, person.handle, person.email]);
    noOther(
      t,
      shown,
      others.map(({ personId }) => personId),
    );
  }
});

function noOther(t: ExecutionContext, page: string, names: string[]) {
  // The navigation names the other products of its reader.
  const [, main = page] = page.split('<main');
  for (const name of names) t.false(main.includes(name), `${name} is not named`);
}

test('a new owner sees all months, and no transfer to the owner before', async (t) => {
  const product = await newPooled();
  const periodId = await pool.month({
    month: '2025-05',
    currency: 'GBP',
    status: 'paid',
    members: membersOf(1, { [product.id]: 1 }),
  });
  await pool.payOut({ periodId, productId: product.id });
  const path = `${poolOf(product)}/lines.csv`;
  t.regex(await read(path), /,paid,2.*,pool-2025-05/);
  const buyers = await teams.team([]);
  await api.test.query('update product set owner_team_id = $2 where id = $1', [
    product.id,
    buyers.id,
  ]);
  const shown = await (await buyers.members.owner.browser.get(path)).text();
  t.regex(shown, /2025-05,GBP,share,2025-05,6\.99,699,1,1,paid,,\r\n/);
  const page = await buyers.members.owner.browser.get(`${poolOf(product)}/2025-05`);
  t.notRegex(await page.text(), /tr_\d/);
});

test('a removed product keeps its months for the roles that may see statements', async (t) => {
  const product = await newPooled();
  await pool.month({ month: '2025-06', members: membersOf(1, { [product.id]: 1 }) });
  await api.test.query(`update product set state = 'removed' where id = $1`, [product.id]);
  t.is((await browser.get(`${poolOf(product)}/2025-06`)).status, 200);
  t.is((await team.members.viewer.browser.get(poolOf(product))).status, 404);
});

import test from 'ava';
import { formatMoney, writeAmount } from '../../domain/shared/money.ts';
import { daysOf } from '../support/catalog/usage.ts';
import { follow } from '../support/pages/chromium.ts';
import { cellsOf, picture, startPoolJourney, type Creator } from '../support/pool/pool-journey.ts';

const DAY_MS = 86_400_000;
/** Of this test alone: the workflow of a month is known by its currency on the whole server. */
const currency = 'PLN';
const FEE_MINOR = 4_999;
/** Without the simulator's fee of 2.9 % and 30. */
const NET_MINOR = FEE_MINOR - 175;
/** 70 % of that, rounded down: two of three days, and one. */
const POOL_MINOR = 3_376;
const PARTS = { paper: 2_251, tide: 1_125 };

const journey = await startPoolJourney({ currency, amountMinor: FEE_MINOR });
const { api, signedIn } = journey;
const { query } = api.test;

const [paper, tide] = [
  await journey.addCreator('Paper Trail'),
  await journey.addCreator('Tide Table'),
];
const person = await api.seed.person();
const [row] = await query<{ now: Date }>('select gatehouse_now() as now');
const month = row!.now.toISOString().slice(0, 7);
const periodId = `${month}:${currency}`;
const money = (amountMinor: number) => formatMoney(amountMinor, currency);
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthInWords = `${MONTH.format(new Date(`${month}-01`))} in ${currency}`;
const statementOf = ({ product }: Creator) => `/console/products/${product.slug}/pool/${month}`;
test.after.always(() => journey.close());

test.serial('a Member is charged, and evidence comes by a real token', async (t) => {
  const page = await journey.becomeMember(person);
  const counted = { counted: true, qualifying: true, test_mode: false };
  t.like(await journey.useProduct(page, paper.client), counted);
  t.like(await journey.useProduct(page, tide.client), counted);
  await api.test.advance(DAY_MS);
  t.like(await journey.useProduct(page, paper.client), counted);
  const key = { productId: paper.product.id, personId: person.id };
  t.is((await daysOf(api, key)).filter((day) => day.is_qualifying).length, 2);
});

test.serial('the month passes, and no creator sees an amount before it is approved', async (t) => {
  await journey.passMonth(periodId);
  await journey.untilStatus(periodId, 'in_review');
  const page = await signedIn(paper.owner);
  await page.goto(statementOf(paper));
  await picture(page, '1-in-review');
  t.is(await page.getByText('In review', { exact: false }).count(), 3);
  t.is(await page.getByText(money(PARTS.paper)).count(), 0);
});

test.serial('an operator sees the review and approves a month', async (t) => {
  await journey.confirm(paper.owner);
  const page = await signedIn(journey.operator);
  await page.goto('/operator/pool');
  await picture(page, '2-months');
  await follow(page, page.getByRole('link', { name: monthInWords }));
  await picture(page, '3-review');
  const sums = `${money(NET_MINOR - POOL_MINOR)} platform + ${money(POOL_MINOR)} products`;
  t.is(
    (await page.locator('[data-balance]').innerText()).replaceAll(/\s+/g, ' '),
    `${money(NET_MINOR)} fees = ${sums} + ${money(0)} unattributed`,
  );
  const products = await cellsOf(page, 'Amounts of products');
  t.deepEqual(
    products.map(([name, members, days, amount]) => [name, members, days, amount]),
    [
      ['Paper Trail', '1', '2', `${money(PARTS.paper)} 66.7 %`],
      ['Tide Table', '1', '1', `${money(PARTS.tide)} 33.3 %`],
    ],
  );
  await page.locator('main summary', { hasText: `Approve ${monthInWords}` }).click();
  await follow(page, page.locator('form button', { hasText: `Approve ${monthInWords}` }));
  await journey.untilStatus(periodId, 'paid');
  await page.reload();
  await picture(page, '4-paid');
  const payouts = await cellsOf(page, 'Payouts of the month');
  const described = payouts.map(([, status, , amount]) => [amount, status]);
  t.deepEqual(described, [[money(PARTS.paper), 'Paid']]);
});

const readTransfers = () =>
  query<{ id: string; transfer_group: string; amount: string; currency: string }>(
    `select id, transfer_group, amount, currency from simulator.transfer`,
  );

test.serial('one transfer per team, currency and period; a first payout waits', async (t) => {
  const transfers = await readTransfers();
  t.is(transfers.length, 1);
  t.like(transfers[0], {
    transfer_group: `pool-${month}-${paper.owner.id}-${currency}`,
    amount: String(PARTS.paper),
    currency: currency.toLowerCase(),
  });
});

for (const [name, days, payout] of [
  ['paper', 2, 'Paid'],
  ['tide', 1, 'Held until an operator confirms your first payout.'],
] as const) {
  test.serial(`a creator sees the month's statement and its CSV: ${name}`, async (t) => {
    const creator = { paper, tide }[name];
    const amountMinor = PARTS[name];
    const page = await signedIn(creator.owner);
    await page.goto(statementOf(creator));
    await picture(page, `5-statement-${name}`);
    const [line] = await cellsOf(page, `Lines of ${month} in ${currency}`);
    const [ofUse, described, ...figures] = line!;
    t.regex(ofUse!, /^[A-Z][a-z]{2} \d{4}$/);
    t.deepEqual(figures, ['1', String(days), money(amountMinor)]);
    t.true(described!.startsWith(payout), described);
    const [transfer] = await readTransfers();
    t.is(described!.includes(transfer!.id), name === 'paper');
    t.is(await page.getByText('Fewer than 10 Members').count(), 1);
    const link = page.getByRole('link', { name: 'Download CSV', exact: true });
    const file = await page.request.get((await link.getAttribute('href'))!);
    const cells = (await file.text()).trim().split(/\r?\n/)[1]!.split(',');
    const amounts = [writeAmount(amountMinor, currency), String(amountMinor)];
    const { name: product } = creator.product;
    const about = [product, month, currency, 'share', month];
    t.deepEqual(cells.slice(0, 9), [...about, ...amounts, '1', String(days)]);
  });
}

test.serial('a Member sees in the library where their fee of the month went', async (t) => {
  const page = await signedIn(person);
  await page.goto('/library');
  await follow(page, page.getByRole('link', { name: 'Where your fee went' }));
  await page.goto(`/library/fees/${month}`);
  await picture(page, '6-fee');
  t.deepEqual(await cellsOf(page, `Where your fee of ${monthInWords} went`), [
    ['Paper Trail', '2', money(PARTS.paper)],
    ['Tide Table', '1', money(PARTS.tide)],
  ]);
  const sums = await page.locator(`[data-fee="${periodId}"] dd`).allInnerTexts();
  const amounts = [NET_MINOR, POOL_MINOR, NET_MINOR - POOL_MINOR];
  t.deepEqual(sums.slice(0, 3), amounts.map(money));
});

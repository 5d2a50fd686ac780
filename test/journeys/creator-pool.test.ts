import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { checkStatement } from '../../dev/demo/pool/check-statement.ts';
import { becomeMember, reportUse, takeToken, untilMember } from '../../dev/demo/pool/new-member.ts';
import { pastMonths } from '../../dev/demo/pool/members.ts';
import { writePastMonth } from '../../dev/demo/pool/past-month.ts';
import { ENTITIES } from '../../domain/entities.ts';
import { openPeriods } from '../../domain/pool/period/period.repository.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform } from '../support/engines/platform.ts';
import { fillSignIn, follow, launchChromium } from '../support/pages/chromium.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];
const TIMEOUT_MS = 90_000;
/** No other test has periods of it: a period's workflow has its name on the whole server. */
const CURRENCY = 'CHF';

const platform = await startPlatform();
const browser: Browser = await launchChromium();
const { demo, database: rows } = platform;
const url = rows.ownUrl;
const database = await openDatabase({ url, listenUrl: url, name: 'journey', entities: ENTITIES });
test.after.always(async () => {
  await browser.close();
  await database.close();
  await platform.stop();
});

const personOf = (handle: string) => demo.people.find((person) => person.handle === handle)!;
const product = demo.products.find(({ slug }) => slug === 'tide-table')!;

async function open(handle: string, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: demo.base_url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await fillSignIn(page, personOf(handle));
  // Operators sign in with a passkey: other journeys do.
  await rows.query(`update session set authenticated_by = 'passkey' where person_id = $1`, [
    personOf(handle).id,
  ]);
  await page.goto(path);
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/pool-${name}.png`, fullPage: true });
}

/** The demo's own months are left alone. */
async function closeOtherMonths(): Promise<void> {
  await rows.query(
    `insert into pool_period (id, month, currency, status, rule, freeze_due_at)
     select to_char(month, 'YYYY-MM') || ':USD', month, 'USD', 'empty', 'user-centric-1', now()
     from generate_series($1::date, now(), '1 month') month`,
    [pastMonths(new Date())[0]],
  );
}

async function passMonth(personId: string): Promise<string> {
  const facts = { personId, productId: product.id, operatorId: personOf('olga').id };
  const month = await database.transaction((em) =>
    writePastMonth(em, { ...facts, currencies: [CURRENCY] }),
  );
  await closeOtherMonths();
  await database.transaction((em) => openPeriods(em, platform.sealer));
  return `${month!.month}:${CURRENCY}`;
}

const untilStatus = (periodId: string, wanted: string) =>
  eventually(
    async () =>
      (
        await rows.query<{ status: string }>('select status from pool_period where id = $1', [
          periodId,
        ])
      )[0]?.status,
    (status) => status === wanted,
    TIMEOUT_MS,
  );

type Line = { amount_minor: string; status: string; transfer_id: string | null };

async function readLine(periodId: string): Promise<Line> {
  const [line] = await rows.query<Line>(
    `select l.amount_minor, l.status, transfer_id
     from pool_line l left join pool_payout p on p.id = payout_id
     where l.period_id = $1 and product_id = $2`,
    [periodId, product.id],
  );
  return line!;
}

test('a day of use becomes money: evidence, charge, month, approval, statement, transfer', async (t) => {
  const nil = personOf('nil');
  const member = await becomeMember(demo, nil);
  await untilMember(demo, { product, personId: nil.id });
  const token = await takeToken(demo, { product, browser: member.browser });
  const said = JSON.parse(await reportUse(demo, token)) as object;
  t.like(said, { counted: true, qualifying: true, test_mode: false });

  const periodId = await passMonth(nil.id);
  await untilStatus(periodId, 'in_review');
  const operator = await open('olga', `/operator/pool/periods/${periodId}`);
  await picture(operator, 'review');
  await operator.getByText('Approve', { exact: true }).click();
  await follow(operator, operator.getByRole('button', { name: /^Approve/ }));
  await picture(operator, 'approved');
  await untilStatus(periodId, 'paid');

  const line = await readLine(periodId);
  t.is(line.status, 'paid');
  t.regex(line.transfer_id ?? '', /^tr_/);
  const amount = formatMoney(Number(line.amount_minor), CURRENCY);
  const month = periodId.split(':')[0]!;
  const creator = await open('ben', `/console/products/${product.slug}/pool/${month}`);
  await picture(creator, 'creator');
  t.true((await creator.getByText(amount).count()) > 0);
  t.true((await creator.getByText(line.transfer_id!).count()) > 0);
  const address = await creator.getByRole('link', { name: /CSV/ }).getAttribute('href');
  const csv = await creator.request.get(address!);
  t.regex(await csv.text(), new RegExp(line.amount_minor));

  const own = await open('nil', `/library/fees/${month}`);
  await picture(own, 'member');
  t.true((await own.getByText('Tide Table').count()) > 0);
  t.true((await own.getByText(`9.99 ${CURRENCY}`).count()) > 0);
  t.regex(await checkStatement(database, periodId), /^the same \d+ bytes/);
});

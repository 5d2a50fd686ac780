// A month of the creator pool against the running platform, from a charge to a transfer.
import { Product } from '../../../domain/catalog/product.entity.ts';
import { ENTITIES } from '../../../domain/entities.ts';
import { kysely } from '../../../domain/kysely.ts';
import { periodIdOf, readPeriodId } from '../../../domain/pool/period/pool-month.ts';
import { describeSums } from '../../../domain/pool/period/describe-sums.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import type { Page } from '../browser.ts';
import type { DemoData } from '../load.ts';
import type { Step } from '../purchase.ts';
import { signUp } from '../sign-up.ts';
import { checkStatement } from './check-statement.ts';
import { becomeMember, reportUse, signIn, takeToken, untilMember } from './new-member.ts';
import { writePastMonth } from './past-month.ts';
import { approveMonth, findPeriod, openMonths, untilStatus } from './periods.ts';

const TIMEOUT_MS = 60_000;

type Scene = { demo: DemoData; step: Step; database: Database };
type Member = Awaited<ReturnType<typeof becomeMember>>;

export async function showPool(demo: DemoData, step: Step): Promise<void> {
  const url = demo.database_url;
  const database = openDatabase({ url, listenUrl: url, name: 'demo', entities: ENTITIES });
  const scene = { demo, step, database };
  try {
    const member = await useProduct(scene);
    const periodId = await passMonth(scene, member);
    await review(scene, periodId);
    await pay(scene, periodId);
    step('`npm run pool -- compute` with the snapshot', await checkStatement(database, periodId));
    await showPages(scene, { periodId, member });
  } finally {
    await database.close();
  }
}

const productOf = (demo: DemoData) => demo.products.find(({ slug }) => slug === 'tide-table')!;

async function useProduct({ demo, step }: Scene): Promise<Member> {
  const product = productOf(demo);
  const member = await becomeMember(demo, await signUp(demo));
  step('Somebody new pays for Member at the hosted checkout', member.email);
  const access = await untilMember(demo, { product, personId: member.id });
  step('The entitlement check of Tide Table, which is Included', access);
  const token = await takeToken(demo, { product, browser: member.browser });
  step('Signed in to Tide Table: consent, code, token', `${token.slice(0, 8)}...`);
  step('Tide Table reports an activity with that token', await reportUse(demo, token));
  return member;
}

/** The clock of a database cannot be moved: the month that passes is one of the past. */
async function passMonth({ demo, step, database }: Scene, member: Member): Promise<string> {
  const operatorId = demo.people.find(({ roles }) => roles.includes('operator'))!.id;
  const facts = { personId: member.id, productId: productOf(demo).id, operatorId };
  const written = await database.transaction((em) => writePastMonth(em, facts));
  if (!written) throw new Error('Every past month was shown: `npm start -- --fresh` begins anew.');
  const periodId = periodIdOf(written);
  step('The month passes: charges and evidence of a past month are written', periodId);
  await openMonths(demo.temporal_address);
  const wait = { periodId, timeoutMs: TIMEOUT_MS };
  const seen = await untilStatus(database, { ...wait, status: 'in_review' });
  const workflow = `${demo.temporal_ui_url}/namespaces/default/workflows/pool:${periodId}`;
  step(`The workflow of the month: ${seen.join(', ')}`, workflow);
  return periodId;
}

async function review({ step, database }: Scene, periodId: string): Promise<void> {
  const em = database.em();
  const period = (await findPeriod(em, periodId))!;
  const money = (minor: number | string | null) => formatMoney(Number(minor), period.currency);
  step('Frozen: a snapshot that names nobody', `SHA-256 ${period.snapshotSha256}`);
  step(`Computed at ${period.poolShareBps} basis points`, describeSums(period)!);
  const lines = await kysely(em)
    .selectFrom('poolLine')
    .innerJoin('product', 'product.id', 'poolLine.productId')
    .selectAll('poolLine')
    .select('product.name')
    .where('periodId', '=', periodId)
    .orderBy('amountMinor', 'desc')
    .execute();
  for (const { name, amountMinor, members, qualifiedDays, bands } of lines) {
    const saw = `${money(amountMinor)} for ${qualifiedDays} days of ${members} Members`;
    step(`The statement of ${name}`, `${saw}, ${describeBands(bands.length)}`);
  }
}

const describeBands = (bands: number) =>
  bands === 0 ? 'the total only: fewer than 10' : `in bands of 10 or more: ${bands}`;

async function pay({ demo, step, database }: Scene, periodId: string): Promise<void> {
  const { id: byId, handle } = demo.people.find(({ roles }) => roles.includes('operator'))!;
  const wait = { periodId, timeoutMs: TIMEOUT_MS };
  await approveMonth(database, { periodId, byId });
  step(`@${handle} approves the month`, 'approved');
  const seen = await untilStatus(database, { ...wait, status: 'paid' });
  const payouts = await kysely(database.em())
    .selectFrom('poolPayout')
    .selectAll()
    .where('periodId', '=', periodId)
    .orderBy('id')
    .execute();
  for (const { id, amountMinor, currency, status, transferId } of payouts) {
    const amount = formatMoney(Number(amountMinor), currency);
    step(`Transfer ${id}`, `${amount} ${status}, ${transferId} at the simulator`);
  }
  const { paidAt } = (await findPeriod(database.em(), periodId))!;
  step(`The month is over: ${seen.join(', ')}`, paidAt?.toISOString() ?? '');
}

async function showPages(
  { demo, step, database }: Scene,
  { periodId, member }: { periodId: string; member: Member },
): Promise<void> {
  const { month } = readPeriodId(periodId);
  const product = productOf(demo);
  const { ownerPersonId } = await database.em().findOneOrFail(Product, product.id);
  const creator = demo.people.find(({ id }) => id === ownerPersonId)!;
  const console_ = `${demo.base_url}/console/products/${product.slug}/pool/${month}`;
  const seen = await (await signIn(demo, creator)).visit(console_);
  step(`The page of @${creator.handle} in the console`, describeSeen(seen));
  const own = await member.browser.visit(`${demo.base_url}/library/fees/${month}`);
  step("The Member's own page: where the fee went", describeSeen(own));
}

function describeSeen({ url, status, html }: Page): string {
  if (status !== 200) throw new Error(`${url} was answered ${status}.`);
  const title = /<title>([^<]*)/.exec(html)?.[1]?.trim() ?? '';
  return `${url} (${title})`;
}

import { poolPayoutWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { confirmFirstPayout } from '../../../domain/pool/line/owner-money.repository.ts';
import {
  listPayoutsInTrouble,
  listUnconfirmedOwners,
  yearlyTotals,
  type YearlyTotal,
} from '../../../domain/pool/operating/payouts.repository.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { now } from '../../../platform/database/database.ts';
import { given, matching, uuid, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { actorOf } from '../../console/managed-product.ts';
import { workflowUrl } from '../../console/workflow-url.ts';
import { csvQuery, writeCsv } from '../../http/csv.ts';
import { withNotice } from '../../html/notices.ts';
import { csv, page, redirect } from '../../http/response.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { LONGEST_REASON } from '../people/decision.page.ts';
import { payoutsPage, type PayoutsDraft } from './payouts.page.ts';
import { POOL_PAYOUTS } from './pool.page.ts';

const showPoolPayouts = defineRoute({
  ...OPERATOR_PAGE,
  path: POOL_PAYOUTS,
  summary: 'List payouts of the creator pool in trouble, and first payouts to confirm',
  input: {},
  handler: (context) => showPayoutsPage(context, null),
});

const confirmOwner = defineRoute({
  ...OPERATOR_FORM,
  path: POOL_PAYOUTS,
  summary: 'Confirm the first payout of the creator pool to an owner',
  proof: 'fresh',
  input: {
    body: formBody({ owner: uuid().toLowerCase(), reason: given(LONGEST_REASON).default('') }),
  },
  async handler(context) {
    const { owner: ownerId } = context.body;
    const { value: reason, problem } = validateLine(context.body.reason, LONGEST_REASON);
    if (problem !== null) return showPayoutsPage(context, { ownerId, problem: explain(problem) });
    const { personId: byId } = context.currentUser;
    const { ip } = actorOf(context);
    const isConfirmed = await context.services.database.transaction((em) =>
      confirmFirstPayout(em, { ownerId, byId, ip, reason }),
    );
    const said = isConfirmed ? 'first_payout_confirmed' : 'unchanged';
    return redirect(withNotice(POOL_PAYOUTS, said));
  },
});

const downloadYearlyTotals = defineRoute({
  ...OPERATOR_PAGE,
  path: `${POOL_PAYOUTS}/totals.csv`,
  summary: 'Download what was paid in a year to each owner as CSV',
  limit: 'settings',
  input: { query: csvQuery.extend({ year: matching(/^2\d{3}$/, 4).transform(Number) }) },
  async handler(context) {
    const { year } = context.query;
    const totals = await yearlyTotals(context.services.database.em(), year);
    return csv(`pool-payouts-${year}.csv`, writeTotals(totals, year), context.query);
  },
});

function writeTotals(totals: YearlyTotal[], year: number) {
  return writeCsv([totals], {
    year: () => year,
    owner: ({ owner }) => owner,
    owner_kind: ({ teamId }) => (teamId === null ? 'person' : 'team'),
    owner_id: ({ ownerId }) => ownerId,
    payouts: ({ payouts }) => payouts,
    paid: ({ amountMinor, currency }) => ({ exact: writeAmount(amountMinor, currency) }),
    paid_minor: ({ amountMinor }) => amountMinor,
    currency: ({ currency }) => currency,
  });
}

const YEARS_SHOWN = 3;

export async function showPayoutsPage(context: SessionContext, draft: PayoutsDraft | null) {
  const em = context.services.database.em();
  const year = (await now(em)).getUTCFullYear();
  const view = payoutsPage({
    troubled: await listPayoutsInTrouble(em),
    unconfirmed: await listUnconfirmedOwners(em),
    years: Array.from({ length: YEARS_SHOWN }, (_, index) => year - index),
    toUrl: (payoutId) => workflowUrl(context, poolPayoutWorkflow(payoutId)),
    draft,
    token: sessionFormToken(context),
  });
  return page(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showPoolPayouts, confirmOwner, downloadYearlyTotals];

import { poolPayoutWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { confirmFirstPayout } from '../../../domain/pool/payout-lines/owner-money.repository.ts';
import {
  listPayoutsInTrouble,
  listUnconfirmedOwners,
  yearlyTotals,
  type YearlyTotal,
} from '../../../domain/pool/operator-views/payouts.repository.ts';
import { writeAmount } from '../../../domain/shared/money.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { now } from '../../../platform/database/database.ts';
import { given, matching, uuid, formBody, text } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { actorOf } from '../../console/managed-product.ts';
import { workflowUrl } from '../../console/workflow-url.ts';
import { csvQuery, writeCsv } from '../../http/csv.ts';
import { withNotice, type Notice } from '../../html/notices.ts';
import { csv, redirect } from '../../http/response.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { LONGEST_REASON } from '../people/decision.page.ts';
import { payoutsPage, type PayoutsDraft } from './payouts.page.ts';
import { POOL_PAYOUTS } from '../operator.page.ts';
import { POOL_OUTCOME } from './pool.page.ts';
import { z } from 'zod';
import {
  recordFoundOutcome,
  type FoundOutcome,
} from '../../../domain/pool/payout-lines/end-payout.repository.ts';
import { showOperatorPage } from '../show-operator-page.ts';

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

async function showPayoutsPage(context: SessionContext, draft: PayoutsDraft | null) {
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
  return showOperatorPage(context, view, draft === null ? {} : { status: 422 });
}

const LONGEST_TRANSFER_ID = 255;
/**
 * The id of a transfer and of nothing else: the ID of a payout or an account is easily copied in
 * its place.
 */
const TRANSFER_ID = /^tr_\w+$/;

const shape = z.object({
  payout: text(128),
  is: z.enum(['paid', 'not_paid']),
  transfer: given(LONGEST_TRANSFER_ID).default(''),
  reason: given(LONGEST_REASON).default(''),
});

type OutcomeInput = z.output<typeof shape>;

const recordOutcome = defineRoute({
  ...OPERATOR_FORM,
  path: POOL_OUTCOME,
  summary: 'Record how a payout of the creator pool with an unknown outcome ended',
  proof: 'fresh',
  input: { body: { kind: 'form', shape } },
  async handler(context) {
    const { payout: payoutId, is, transfer, reason } = context.body;
    const { value, problem } = readTyped(context.body);
    const typed = is === 'paid' ? transfer : reason;
    if (problem !== null) return showPayoutsPage(context, { payoutId, is, typed, problem });
    const by = { personId: context.currentUser.personId, ip: actorOf(context).ip };
    const found: FoundOutcome =
      is === 'paid' ? { is, payoutId, by, transferId: value } : { is, payoutId, by, reason: value };
    const recorded = await context.services.database.transaction((em) =>
      recordFoundOutcome(em, found),
    );
    if (recorded === 'taken') {
      const taken = 'Another payout has this transfer.';
      return showPayoutsPage(context, { payoutId, is, typed, problem: taken });
    }
    const notice = recorded === 'known' ? 'payout_outcome_known' : NOTICES[is];
    return redirect(withNotice(POOL_PAYOUTS, notice));
  },
});

const NOTICES = {
  paid: 'payout_found_paid',
  not_paid: 'payout_found_not_paid',
} satisfies Record<string, Notice>;

function readTyped({ is, transfer, reason }: OutcomeInput): {
  value: string;
  problem: string | null;
} {
  const { value, problem } =
    is === 'paid'
      ? validateLine(transfer, LONGEST_TRANSFER_ID)
      : validateLine(reason, LONGEST_REASON);
  if (problem !== null) return { value, problem: explain(problem) };
  if (is === 'not_paid' || TRANSFER_ID.test(value)) return { value, problem: null };
  return { value, problem: 'Enter the ID that the payment processor shows, such as tr_1AbC.' };
}

export const routes = [showPoolPayouts, confirmOwner, downloadYearlyTotals, recordOutcome];

import { z } from 'zod';
import {
  recordFoundOutcome,
  type FoundOutcome,
} from '../../../domain/pool/payout-lines/end-payout.repository.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { given, text } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { actorOf } from '../../console/managed-product.ts';
import { withNotice, type Notice } from '../../html/notices.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, OPERATOR_FORM } from '../../http/route.ts';
import { LONGEST_REASON } from '../people/decision.page.ts';
import { showPayoutsPage } from './payouts.routes.ts';
import { POOL_OUTCOME, POOL_PAYOUTS } from './pool.page.ts';

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

export const routes = [recordOutcome];

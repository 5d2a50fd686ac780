import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PayoutInTrouble } from '../../../domain/pool/operating/payouts.repository.ts';
import { askOnce, form, type Field } from '../../html/form.ts';
import { POOL_OUTCOME } from './pool.page.ts';

type Outcome = 'paid' | 'not_paid';

/** A payout whose outcome an operator could not record, what was typed, and why. */
export type OutcomeDraft = { payoutId: string; is: Outcome; typed: string; problem: string | null };

type Props = { draft: OutcomeDraft | null; token: string };

/** How a payout ended whose outcome the processor does not tell: an operator has looked there. */
export function outcomeForms(
  { id, owner, isOutcomeUnknown }: PayoutInTrouble,
  props: Props,
): HtmlSafeString | string {
  if (!isOutcomeUnknown) return '-';
  return html`${(['paid', 'not_paid'] as const).map((is) => {
    const { summary, sentence, button, label, name } = ASKED[is];
    const draft = props.draft?.payoutId === id && props.draft.is === is ? props.draft : null;
    const field: Field = { label, name, value: draft?.typed ?? '', problem: draft?.problem };
    return askOnce({
      summary,
      label: `${summary}: ${owner}, ${id}`,
      sentence,
      button: form({
        action: POOL_OUTCOME,
        token: props.token,
        hidden: { payout: id, is },
        button,
        fields: [field],
      }),
      isOpen: draft !== null,
    });
  })}`;
}

const ASKED = {
  paid: {
    summary: 'It was paid',
    sentence:
      'The payment processor has the transfer, with this amount and this account. The payout is booked as paid, and we email the owners.',
    label: 'ID of the transfer',
    name: 'transfer',
    button: 'Record as paid',
  },
  not_paid: {
    summary: 'It was not paid',
    sentence:
      'The payment processor has no such transfer. A later month pays the amount, and we email the owners. The processor is not asked again: if it makes the transfer all the same, the owner is paid twice.',
    label: 'Reason',
    name: 'reason',
    button: 'Record as not paid',
  },
} as const;

import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PayoutInTrouble,
  UnconfirmedOwner,
} from '../../../domain/pool/operator-views/payouts.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { OUTCOME_GUIDE } from '../../html/guide-links.ts';
import { askOnce, form, select } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { periodPath, POOL_PAYOUTS, poolPage, workflowLink, POOL_OUTCOME } from './pool.page.ts';

/** The owner whose confirmation lacks a reason, and why; or a payout's outcome that is not recorded. */
export type PayoutsDraft = { ownerId: string; problem: string | null } | OutcomeDraft;

type Props = {
  troubled: PayoutInTrouble[];
  unconfirmed: UnconfirmedOwner[];
  /** The newest first. */
  years: number[];
  /** The workflow's page in Temporal; null where there is none. */
  toUrl(payoutId: string): string | null;
  draft: PayoutsDraft | null;
  token: string;
};

export function payoutsPage(props: Props): View {
  const content = html`
    <section>
      <h2>In trouble</h2>
      ${troubled(props)}
    </section>
    <section>
      <h2>First payouts</h2>
      <p>
        The first payout to an owner waits for your yes. Look at the products and the payout account
        first. A confirmed owner is paid with the next month.
      </p>
      ${unconfirmed(props)}
    </section>
    <section>
      <h2>Yearly totals</h2>
      ${yearForm(props.years)}
    </section>
  `;
  return poolPage({ current: POOL_PAYOUTS, title: 'Payouts of the pool', content });
}

const LOOK_FIRST = html`<p>
  An unknown outcome is asked about until the payment processor tells it. You can record it: look at
  the processor first. <a href="${OUTCOME_GUIDE}">What to look at</a>
</p>`;

function troubled({ troubled: lines, toUrl, draft, token }: Props): HtmlSafeString {
  const mine = draft !== null && 'payoutId' in draft ? draft : null;
  const isUnknown = lines.some(({ isOutcomeUnknown }) => isOutcomeUnknown);
  return html`${isUnknown ? LOOK_FIRST : ''}
  ${table({
    label: 'Payouts in trouble',
    rows: lines,
    empty: 'No payout is in trouble.',
    columns: {
      To: ({ owner, id }: PayoutInTrouble) => html`${owner}<br /><small class="id">${id}</small>`,
      Month: ({ periodId }) => html`<a href="${periodPath(periodId)}">${periodId}</a>`,
      Amount: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
      Status: ({ status, attempts, lastError, isOutcomeUnknown }) =>
        html`<span data-payout="${status}">${sentenceCase(status)}</span>, ${attempts}
          ${attempts === 1 ? 'attempt' : 'attempts'}${
            isOutcomeUnknown ? html`<br /><strong>Outcome unknown</strong>` : ''
          }${lastError === null ? '' : html`<br /><small>${lastError}</small>`}`,
      'Next attempt': ({ dueAt }) => (dueAt === null ? 'With a later month' : instant(dueAt)),
      Workflow: ({ id }) => workflow(toUrl(id)),
      Actions: (line) => outcomeForms(line, { draft: mine, token }),
    },
  })}`;
}

function workflow(url: string | null): HtmlSafeString | string {
  return url === null ? '-' : workflowLink(url);
}

function unconfirmed({ unconfirmed: owners, draft, token }: Props): HtmlSafeString {
  const mine = draft !== null && 'ownerId' in draft ? draft : null;
  return table({
    label: 'First payouts to confirm',
    rows: owners,
    empty: 'No first payout waits.',
    columns: {
      Owner: ({ owner, personId }: UnconfirmedOwner) =>
        personId === null ? owner : html`<a href="/operator/people/${personId}">${owner}</a>`,
      Waits: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
      Since: ({ since }) => html`<a href="${periodPath(since)}">${since}</a>`,
      Actions: ({ ownerId, owner }) =>
        askOnce({
          summary: 'Confirm',
          label: `Confirm ${owner}`,
          sentence: 'This and all later payouts go to the payout account of the owner.',
          button: form({
            action: POOL_PAYOUTS,
            token,
            hidden: { owner: ownerId },
            button: 'Confirm first payout',
            fields: [
              {
                label: 'Reason',
                name: 'reason',
                problem: mine?.ownerId === ownerId ? mine.problem : null,
              },
            ],
          }),
          isOpen: mine?.ownerId === ownerId,
        }),
    },
  });
}

function yearForm(years: number[]): HtmlSafeString {
  return html`<form class="search" method="get" action="${POOL_PAYOUTS}/totals.csv">
    ${select({
      label: 'Year (UTC)',
      name: 'year',
      options: years.map((year) => ({ value: String(year), label: String(year) })),
    })}
    <button class="outline">Download totals as CSV</button>
    <button class="outline" name="for" value="spreadsheet">CSV for spreadsheets</button>
  </form>`;
}

type Outcome = 'paid' | 'not_paid';

/** A payout whose outcome an operator could not record, what was typed, and why. */
type OutcomeDraft = { payoutId: string; is: Outcome; typed: string; problem: string | null };

/** How a payout ended whose outcome the processor does not tell: an operator has looked there. */
function outcomeForms(
  { id, owner, isOutcomeUnknown }: PayoutInTrouble,
  props: { draft: OutcomeDraft | null; token: string },
): HtmlSafeString | string {
  if (!isOutcomeUnknown) return '-';
  return html`${(['paid', 'not_paid'] as const).map((is) => {
    const { summary, sentence, button, label, name } = WORDS[is];
    const draft = props.draft?.payoutId === id && props.draft.is === is ? props.draft : null;
    return askOnce({
      summary,
      label: `${summary}: ${owner}, ${id}`,
      sentence,
      button: form({
        action: POOL_OUTCOME,
        token: props.token,
        hidden: { payout: id, is },
        button,
        fields: [{ label, name, value: draft?.typed ?? '', problem: draft?.problem }],
      }),
      isOpen: draft !== null,
    });
  })}`;
}

const WORDS = {
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

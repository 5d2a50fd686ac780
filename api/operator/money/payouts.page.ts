import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PayoutInTrouble,
  UnconfirmedOwner,
} from '../../../domain/pool/operating/payouts.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { OUTCOME_GUIDE } from '../../html/guide-links.ts';
import { askOnce, form, select } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { outcomeForms, type OutcomeDraft } from './outcome-forms.ts';
import { periodPath, POOL_PAYOUTS, poolPage, workflowLink } from './pool.page.ts';

/** The owner whose confirmation lacks a reason, and why; or a payout's outcome that is not recorded. */
export type PayoutsDraft = { ownerId: string; problem: string | null } | OutcomeDraft;

type Props = {
  troubled: PayoutInTrouble[];
  unconfirmed: UnconfirmedOwner[];
  /** The newest first. */
  years: number[];
  /** The workflow's page in Temporal; null where there is none. */
  urlOf(payoutId: string): string | null;
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

function troubled({ troubled: lines, urlOf, draft, token }: Props): HtmlSafeString {
  const mine = draft !== null && 'payoutId' in draft ? draft : null;
  const isUnknown = lines.some(({ isOutcomeUnknown }) => isOutcomeUnknown);
  return html`${isUnknown ? LOOK_FIRST : ''}
  ${table({
    label: 'Payouts in trouble',
    rows: lines,
    empty: 'No payout is in trouble.',
    columns: [
      {
        heading: 'To',
        cell: ({ owner, id }: PayoutInTrouble) =>
          html`${owner}<br /><small class="id">${id}</small>`,
      },
      {
        heading: 'Month',
        cell: ({ periodId }) => html`<a href="${periodPath(periodId)}">${periodId}</a>`,
      },
      {
        heading: 'Amount',
        cell: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
      },
      {
        heading: 'Status',
        cell: ({ status, attempts, lastError, isOutcomeUnknown }) =>
          html`<span data-payout="${status}">${sentenceCase(status)}</span>, ${attempts}
            ${attempts === 1 ? 'attempt' : 'attempts'}${
              isOutcomeUnknown ? html`<br /><strong>Outcome unknown</strong>` : ''
            }${lastError === null ? '' : html`<br /><small>${lastError}</small>`}`,
      },
      {
        heading: 'Next attempt',
        cell: ({ dueAt }) => (dueAt === null ? 'With a later month' : instant(dueAt)),
      },
      { heading: 'Workflow', cell: ({ id }) => workflow(urlOf(id)) },
      { heading: 'Actions', cell: (line) => outcomeForms(line, { draft: mine, token }) },
    ],
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
    columns: [
      {
        heading: 'Owner',
        cell: ({ owner, personId }: UnconfirmedOwner) =>
          personId === null ? owner : html`<a href="/operator/people/${personId}">${owner}</a>`,
      },
      { heading: 'Waits', cell: ({ amountMinor, currency }) => formatMoney(amountMinor, currency) },
      {
        heading: 'Since',
        cell: ({ since }) => html`<a href="${periodPath(since)}">${since}</a>`,
      },
      {
        heading: 'Actions',
        cell: ({ ownerId, owner }) =>
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
    ],
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

import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PayoutInTrouble,
  UnconfirmedOwner,
} from '../../../domain/pool/operator-views/payouts.repository.ts';
import { FOR_SPREADSHEETS } from '../../html/csv-links.ts';
import { OUTCOME_GUIDE } from '../../html/guide-links.ts';
import { cutId } from '../../html/copy.ts';
import { shortInstant } from '../../html/dates.ts';
import { form } from '../../html/form.ts';
import { select } from '../../html/parts/field.ts';
import { fold } from '../../html/parts/fold.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { table } from '../../html/table.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, POOL_PAYOUTS } from '../operator.page.ts';
import { payoutState } from './payout-state.ts';
import { periodName, periodPath, POOL_OUTCOME } from './pool.page.ts';

/** The owner whose confirmation lacks a reason, and why; or a payout's outcome that is not recorded. */
export type PayoutsDraft = OwnerDraft | OutcomeDraft;

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
  const content = html`${troubled(props)}
    <div id="first">${unconfirmed(props)}</div>
    ${card({ title: 'Yearly totals', body: yearForm(props.years) })}`;
  return operatorPage({
    section: POOL_PAYOUTS,
    title: 'Payouts of the pool',
    lead: 'Payouts that do not arrive, and first payouts that wait for your yes.',
    content,
  });
}

const LOOK_FIRST = html`<span
  >An unknown outcome is asked about until the payment processor tells it. You can record it: look
  at the processor first. <a href="${OUTCOME_GUIDE}">What to look at</a></span
>`;

function troubled({ troubled: lines, toUrl, draft, token }: Props): HtmlSafeString {
  const mine = draft !== null && 'payoutId' in draft ? draft : null;
  if (lines.length === 0) {
    return card({
      title: 'In trouble',
      body: html`<p class="muted">No payout is in trouble.</p>`,
    });
  }
  const isUnknown = lines.some(({ isOutcomeUnknown }) => isOutcomeUnknown);
  return card({
    title: 'In trouble',
    actions: html`<span class="count">${lines.length}</span>`,
    rows: table({
      label: 'Payouts in trouble',
      rows: lines,
      empty: '',
      columns: {
        To: ({ owner, id }: PayoutInTrouble) => html`${owner}<br />${payoutId(id, toUrl(id))}`,
        State: payoutState,
        Month: ({ periodId }) => period(periodId),
        'Next attempt (UTC)': ({ dueAt }) =>
          dueAt === null ? 'With a later month' : shortInstant(dueAt),
        Amount: {
          cell: ({ amountMinor, currency }) => money(amountMinor, currency),
          isNumber: true,
        },
        Outcome: (line) => outcomeForms(line, { draft: mine, token }),
      },
    }),
    ...(isUnknown ? { foot: LOOK_FIRST } : {}),
  });
}

function payoutId(id: string, url: string | null): HtmlSafeString {
  const link = { text: 'Workflow', kind: 'quiet', size: 'small', isExternal: true } as const;
  return html`<small>${cutId(id)}</small> ${
      url === null ? '' : html`<br />${button({ ...link, href: url, label: `Workflow of ${id}` })}`
    }`;
}

function unconfirmed({ unconfirmed: owners, draft, token }: Props): HtmlSafeString {
  const mine = draft !== null && 'ownerId' in draft ? draft : null;
  const foot =
    'Look at the products and the payout account first. A confirmed owner is paid with the next month.';
  if (owners.length === 0) {
    return card({
      title: 'First payouts',
      body: html`<p class="muted">No first payout waits.</p>`,
    });
  }
  return card({
    title: 'First payouts',
    actions: html`<span class="count warn">${owners.length}</span>`,
    rows: table({
      label: 'First payouts to confirm',
      rows: owners,
      empty: '',
      columns: {
        Owner: ({ owner, personId }: UnconfirmedOwner) =>
          personId === null ? owner : html`<a href="/operator/people/${personId}">${owner}</a>`,
        Since: ({ since }) => period(since),
        Waits: {
          cell: ({ amountMinor, currency }) => money(amountMinor, currency),
          isNumber: true,
        },
        Decision: (line) =>
          html`<div class="actions">${confirming(line, { draft: mine, token })}</div>`,
      },
    }),
    foot,
  });
}

/** `2026-11:EUR` in words, as the way to it. */
function period(id: string): HtmlSafeString {
  const [month = '', currency = ''] = id.split(':');
  return html`<a href="${periodPath(id)}">${periodName({ month: `${month}-01`, currency })}</a>`;
}

type OwnerDraft = { ownerId: string; problem: string | null };

function confirming(
  { ownerId, owner, amountMinor, currency }: UnconfirmedOwner,
  { draft, token }: { draft: OwnerDraft | null; token: string },
): HtmlSafeString {
  const problem = draft?.ownerId === ownerId ? draft.problem : null;
  return fold({
    summary: 'Confirm',
    about: owner,
    sentence: html`${money(amountMinor, currency)} and all later payouts go to the payout account of
    the owner.`,
    content: form({
      action: POOL_PAYOUTS,
      token,
      hidden: { owner: ownerId },
      button: 'Confirm first payout',
      fields: [{ label: 'Reason', name: 'reason', problem }],
    }),
    isOpen: draft?.ownerId === ownerId,
  });
}

function yearForm(years: number[]): HtmlSafeString {
  return html`<form class="search" method="get" action="${POOL_PAYOUTS}/totals.csv">
    ${select({
      label: 'Year (UTC)',
      name: 'year',
      options: years.map((year) => ({ value: String(year), label: String(year) })),
    })}
    ${button({ text: 'Download CSV', icon: 'download' })}
    ${button({ text: FOR_SPREADSHEETS, icon: 'download', name: 'for', value: 'spreadsheet' })}
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
  if (!isOutcomeUnknown) return '';
  return html`<div class="actions">
    ${(['paid', 'not_paid'] as const).map((is) => {
      const { summary, sentence, button: text, label, name } = WORDS[is];
      const draft = props.draft?.payoutId === id && props.draft.is === is ? props.draft : null;
      return fold({
        summary,
        about: `${owner}, ${id}`,
        sentence,
        content: form({
          action: POOL_OUTCOME,
          token: props.token,
          hidden: { payout: id, is },
          button: text,
          fields: [{ label, name, value: draft?.typed ?? '', problem: draft?.problem }],
        }),
        isOpen: draft !== null,
      });
    })}
  </div>`;
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

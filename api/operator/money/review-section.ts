import { html, type HtmlSafeString } from '@prairielearn/html';
import type { AmountSearch } from '../../../domain/pool/operator-views/amounts.repository.ts';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import type { ReviewedLine } from '../../../domain/pool/review/decisions.repository.ts';
import type { ReviewFigure, ReviewRule } from '../../../domain/pool/review/review-rules.ts';
import { form } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';
import { writeBasisPoints } from '../../html/numbers.ts';
import { day } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { productCell } from '../product-cell.ts';
import { periodPath } from './pool.page.ts';

/** A hold or a release without a reason that can be kept. */
export type ReviewDraft = { productId: string; problem: string | null };

type HoldableProduct = { productId: string; name: string; heldFor: string | null };

type Props = {
  period: PeriodView;
  /** Which products the page shows beside the review: it shows them again after a decision. */
  search: AmountSearch;
  reviewed: ReviewedLine[];
  draft: ReviewDraft | null;
  token: string;
};

const RULE_WORDS: Record<ReviewRule, string> = {
  single_product: 'Of Members who use this product alone',
  young_accounts: 'Of accounts younger than 7 days',
  shared_addresses: 'Of Members with an address that more than 20 accounts share',
  regular_times: 'At machine-regular times',
};

/** Products with unusual days come first: an operator decides about them before the approval. */
export function reviewSection(props: Props): HtmlSafeString | '' {
  const { period, reviewed } = props;
  const isOver = period.status !== 'in_review' && reviewed.length === 0;
  if (isOver || ['open', 'frozen', 'computed', 'empty'].includes(period.status)) return '';
  return html`<div id="review">
    ${card({
      title: 'Review',
      facts: 'Products with unusual days: hold them, or let them be paid',
      ...(reviewed.length === 0
        ? { body: html`<p class="muted">No product is above a threshold, and none is held.</p>` }
        : {
            rows: html`<ul class="rows">
              ${reviewed.map((line) => row(line, props))}
            </ul>`,
          }),
    })}
  </div>`;
}

/** The shares of days with their thresholds, and what can be decided. */
function row(line: ReviewedLine, props: Props): HtmlSafeString {
  return html`<li class="request">
    <div>${product(line)} ${amount(line, props.period)}</div>
    <div>
      ${list(line.figures)}
      <div class="actions">${holdForms(line, props)}</div>
    </div>
  </li>`;
}

/** What the product would get, with what corrects earlier months. */
function amount({ amountMinor, correctedMinor }: ReviewedLine, { currency }: PeriodView) {
  if (correctedMinor === 0) return money(amountMinor, currency);
  return html`${money(amountMinor, currency)}
    <small class="muted">with ${money(correctedMinor, currency)} of corrections</small>`;
}

function product(line: ReviewedLine): HtmlSafeString {
  const { name, slug, iconHash, heldFor, heldAt, heldBy } = line;
  if (heldFor === null || heldAt === null) return productCell({ slug, name, iconHash });
  const by = heldBy === null ? '' : ` by @${heldBy}`;
  const more = html`<span class="typed" data-held>Held ${day(heldAt)}${by}: ${heldFor}</span>`;
  return productCell({ slug, name, iconHash, more });
}

function list(figures: readonly ReviewFigure[]): HtmlSafeString {
  return html`<ul class="plain">
    ${figures.map(
      ({ rule, figureBps, thresholdBps, isOver }) =>
        html`<li class="${isOver ? '' : 'muted'}" data-figure="${rule}">
          ${RULE_WORDS[rule]}:
          ${
            isOver
              ? html`<strong>${writeBasisPoints(figureBps)}</strong>, above`
              : `${writeBasisPoints(figureBps)} of`
          }
          ${writeBasisPoints(thresholdBps)}
        </li>`,
    )}
  </ul>`;
}

/** Hold, or release: each with a reason, for the audit trail. */
export function holdForms(
  { productId, name, heldFor }: HoldableProduct,
  { period, search, draft, token }: Pick<Props, 'period' | 'search' | 'draft' | 'token'>,
): HtmlSafeString {
  const action = heldFor === null ? 'hold' : 'release';
  const { summary, sentence, ofSettled = sentence }: HoldWords = WORDS[action];
  const mine = draft?.productId === productId ? draft : null;
  return fold({
    summary,
    about: name,
    sentence: isSettled(period) ? ofSettled : sentence,
    content: form({
      action: `${periodPath(period.id)}/review`,
      token,
      hidden: { action, product: productId, find: search.find, after: search.after ?? '' },
      button: `${summary} product`,
      isDangerous: action === 'hold',
      fields: [{ label: 'Reason', name: 'reason', problem: mine?.problem }],
    }),
    isOpen: mine !== null,
    isDangerous: action === 'hold',
  });
}

/** Its lines are settled: a hold concerns later months alone. */
function isSettled({ status }: PeriodView): boolean {
  return status === 'paying' || status === 'paid';
}

type HoldWords = { summary: string; sentence: string; ofSettled?: string };

const WORDS = {
  hold: {
    summary: 'Hold',
    sentence:
      'What the product gets of this and later months waits until you release it. Nothing is lost.',
    ofSettled:
      'What the product gets of later months waits until you release it. This month is not changed.',
  },
  release: {
    summary: 'Release',
    sentence: 'What waited is paid with the next payouts.',
  },
} as const;

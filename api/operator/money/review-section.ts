import { html, type HtmlSafeString } from '@prairielearn/html';
import type { AmountSearch } from '../../../domain/pool/operator-views/amounts.repository.ts';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import type { ReviewedLine } from '../../../domain/pool/review/decisions.repository.ts';
import type { ReviewFigure, ReviewRule } from '../../../domain/pool/review/review-rules.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { askOnce, form } from '../../html/form.ts';
import { day } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { productPath } from '../../console/console-frame.ts';
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
  const isReviewed = !['open', 'frozen', 'computed', 'empty'].includes(period.status);
  if (!isReviewed) return '';
  return html`<section id="review">
    <h2>Review</h2>
    ${table({
      label: 'Products to review',
      rows: reviewed,
      empty: 'No product is above a threshold, and none is held.',
      columns: {
        Product: product,
        'Share of days, and its threshold': ({ figures }) => list(figures),
        Amount: ({ amountMinor }) => formatMoney(amountMinor, period.currency),
        Actions: (line) => holdForms(line, props),
      },
    })}
  </section>`;
}

function product({ name, slug, heldFor, heldAt, heldBy }: ReviewedLine): HtmlSafeString {
  return html`<a href="${productPath(slug)}">${name}</a>${
      heldFor === null || heldAt === null
        ? ''
        : html`<br /><small data-held>Held ${day(heldAt)} by ${heldBy ?? '-'}: ${heldFor}</small>`
    }`;
}

function list(figures: readonly ReviewFigure[]): HtmlSafeString {
  return html`<ul>
    ${figures.map(
      ({ rule, figureBps, thresholdBps, isOver }) =>
        html`<li data-figure="${rule}">
          ${RULE_WORDS[rule]}:
          ${
            isOver
              ? html`<strong>${percent(figureBps)}</strong>, above`
              : `${percent(figureBps)} of`
          }
          ${percent(thresholdBps)}
        </li>`,
    )}
  </ul>`;
}

function percent(basisPoints: number): string {
  return `${(basisPoints / 100).toFixed(2)}%`;
}

/** Hold, or release: each with a reason, for the audit trail. */
export function holdForms(
  { productId, name, heldFor }: HoldableProduct,
  { period, search, draft, token }: Pick<Props, 'period' | 'search' | 'draft' | 'token'>,
): HtmlSafeString {
  const action = heldFor === null ? 'hold' : 'release';
  const { summary, sentence, ofSettled = sentence }: HoldWords = WORDS[action];
  const mine = draft?.productId === productId ? draft : null;
  return askOnce({
    summary,
    label: `${summary} ${name}`,
    sentence: isSettled(period) ? ofSettled : sentence,
    button: form({
      action: `${periodPath(period.id)}/review`,
      token,
      hidden: { action, product: productId, find: search.find, after: search.after ?? '' },
      button: `${summary} product`,
      fields: [{ label: 'Reason', name: 'reason', problem: mine?.problem }],
    }),
    isOpen: mine !== null,
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

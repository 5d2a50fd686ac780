import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PayoutLine,
  WaitingLines,
} from '../../../domain/pool/operator-views/payouts.repository.ts';
import type {
  PeriodView,
  Preview,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import { cutId } from '../../html/copy.ts';
import { button } from '../../html/parts/button.ts';
import { writeBasisPoints, writeCount } from '../../html/numbers.ts';
import { instant, shortInstant } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { factList } from '../../html/parts/facts.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { CHECK_GUIDE } from '../../html/guide-links.ts';
import { halves } from '../../html/parts/beside.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, POOL } from '../operator.page.ts';
import { periodName, periodPath, STATUS_WORDS, statusPill, workflowLink } from './pool.page.ts';
import { amountsSection, type AmountsProps } from './amounts-section.ts';
import { approvalCard, type ApprovalProps } from './approval-card.ts';
import { payoutState } from './payout-state.ts';
import { previewSection } from './preview-section.ts';
import { reviewSection } from './review-section.ts';
import { splitCard, splitFigures } from './split-card.ts';

export type PeriodProps = AmountsProps &
  ApprovalProps & {
    payouts: { lines: PayoutLine[]; all: number };
    waiting: WaitingLines[];
    preview: Preview | null;
    /** The names of the products of the preview. */
    names: Parameters<typeof previewSection>[0]['names'];
    /** A preview is awaited, and the page looks again by itself. */
    isLooking: boolean;
    url: string | null;
  };

export function periodPage(props: PeriodProps): View {
  const { period, url } = props;
  const isOpen = period.status === 'open';
  const split = splitOf(period);
  const content = html`
    ${period.problem === null ? '' : note({ tone: 'bad', sentence: period.problem })}
    ${steps(period)} ${split === null ? '' : splitFigures(split)}
    ${isOpen ? previewSection(props) : ''}
    ${period.status === 'in_review' ? approvalCard(props) : ''} ${reviewSection(props)}
    ${split === null || !isWhole(props.search) ? '' : splitCard(split)}
    ${period.computedAt === null ? '' : html`${amountsSection(props)} ${payoutsCard(props)}`}
    ${halves(html`${facts(period)} ${files(period)}`)}
  `;
  const view = operatorPage({
    section: POOL,
    title: `Pool of ${periodName(period)}`,
    state: statusPill(period),
    actions: url === null ? '' : workflowLink(url),
    content,
  });
  return props.approvalCode === null ? view : { ...view, showsSecret: true, hasCopyButtons: true };
}

/** The page shows the month, not one of its products or further ones. */
function isWhole({ find, after }: PeriodProps['search']): boolean {
  return find === '' && after === null;
}

/** The sums of a month that is computed. */
function splitOf(period: PeriodView) {
  const { currency, feesMinor, platformMinor, productsMinor, unattributedMinor } = period;
  const isComputed = period.computedAt !== null && feesMinor !== null;
  if (!isComputed || platformMinor === null || productsMinor === null) return null;
  const { members, membersWithoutDays } = period;
  return {
    currency,
    feesMinor,
    platformMinor,
    productsMinor,
    unattributedMinor: unattributedMinor ?? 0,
    members: members ?? 0,
    membersWithoutDays: membersWithoutDays ?? 0,
  };
}

const STEPS = ['open', 'frozen', 'computed', 'in_review', 'approved', 'paying', 'paid'] as const;

function steps({ status }: PeriodView): HtmlSafeString {
  if (status === 'empty') {
    return html`<p data-status="empty">The month had no charges. There is nothing to pay.</p>`;
  }
  return html`<ol class="phases" aria-label="Steps">
    ${STEPS.map(
      (step) =>
        html`<li ${step === status ? html`aria-current="step" data-status="${step}"` : ''}>
          ${STATUS_WORDS[step]}
        </li>`,
    )}
  </ol>`;
}

function facts(period: PeriodView): HtmlSafeString {
  const { status, freezeDueAt, frozenAt, computedAt, approvedAt, approvedBy, paidAt } = period;
  const { poolShareBps } = period;
  const approver = approvedBy === null ? '' : ` by @${approvedBy}`;
  const shown = factList([
    status === 'open' && ['Freezes', instant(freezeDueAt)],
    frozenAt && ['Frozen', instant(frozenAt)],
    computedAt && ['Computed', instant(computedAt)],
    approvedAt && ['Approved', html`${instant(approvedAt)}${approver}`],
    paidAt && ['Paid', instant(paidAt)],
    ['Rule', html`<code>${period.rule}</code>`],
    poolShareBps !== null && ['Share for the pool', writeBasisPoints(poolShareBps)],
  ]);
  return card({ title: 'Month', body: shown });
}

/** Neither names a person: the key of the names is in neither. */
function files({ id, snapshotSha256, statementSha256 }: PeriodView): HtmlSafeString | '' {
  if (snapshotSha256 === null) return '';
  const file = (name: string, sha256: string) =>
    html`<li>
      <span>${sentenceCase(name)}<br /><small class="id">SHA-256 ${sha256}</small></span>
      ${button({
        text: `Download ${name}`,
        size: 'small',
        icon: 'download',
        href: `${periodPath(id)}/files/${name}`,
      })}
    </li>`;
  return card({
    title: 'Files',
    rows: html`<ul class="rows">
      ${file('snapshot', snapshotSha256)}
      ${statementSha256 === null ? '' : file('statement', statementSha256)}
    </ul>`,
    foot: html`<span
      >Gzip files whose last line has this hash of the others. The snapshot names no person and no
      product. <a href="${CHECK_GUIDE}">Compute the statement yourself</a></span
    >`,
  });
}

/** Lists payouts, the unpaid ones first, each with the reason. */
function payoutsCard({ period, payouts: { lines, all }, waiting }: PeriodProps): HtmlSafeString {
  if (lines.length === 0 && period.approvedAt === null) return html``;
  return html`${card({
    title: 'Payouts',
    ...(all > lines.length ? { facts: `The first ${lines.length} of ${writeCount(all)}` } : {}),
    ...(lines.length === 0
      ? { body: html`<p class="muted">No payouts yet.</p>` }
      : {
          rows: table({
            label: 'Payouts of the month',
            rows: lines,
            empty: '',
            columns: {
              To: ({ owner, id }: PayoutLine) => html`${owner}<br /><small>${cutId(id)}</small>`,
              State: payoutState,
              'Next attempt (UTC)': ({ dueAt }) => (dueAt === null ? '' : shortInstant(dueAt)),
              Amount: {
                cell: ({ amountMinor, currency }) => money(amountMinor, currency),
                isNumber: true,
              },
            },
          }),
        }),
  })}
  ${period.approvedAt === null || waiting.length === 0 ? '' : notPaid(period, waiting)}`;
}

const WAITING_WORDS: Partial<Record<WaitingLines['status'], string>> = {
  held: 'Under review, or the first payout of its owner',
  below_minimum: 'Below the minimum',
  no_account: 'Without a payout account that can receive it',
  failed: 'The payout failed',
};

/** What a later month pays. */
function notPaid({ currency }: PeriodView, waiting: WaitingLines[]): HtmlSafeString {
  return card({
    title: 'Waits for a later month',
    rows: table({
      label: 'What waits',
      rows: waiting,
      empty: '',
      columns: {
        Reason: ({ status }: WaitingLines) => WAITING_WORDS[status] ?? sentenceCase(status),
        Lines: { cell: ({ lines }) => writeCount(lines), isNumber: true },
        Amount: { cell: ({ amountMinor }) => money(amountMinor, currency), isNumber: true },
      },
    }),
  });
}

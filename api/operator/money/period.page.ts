import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PayoutLine,
  WaitingLines,
} from '../../../domain/pool/operator-views/payouts.repository.ts';
import type {
  PeriodView,
  Preview,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import { writeSums } from '../../../domain/pool/period/describe-sums.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { askOnce, smallButton } from '../../html/form.ts';
import { copyable } from '../../html/copy.ts';
import { instant } from '../../html/layout.ts';
import { problemNotice } from '../../html/notices.ts';
import { factList, type Fact, table } from '../../html/table.ts';
import { writeCount, sentenceCase } from '../../html/status-labels.ts';
import { CHECK_GUIDE } from '../../html/guide-links.ts';
import type { View } from '../../http/route.ts';
import { POOL } from '../operator.page.ts';
import {
  periodName,
  periodPath,
  poolPage,
  STATUS_WORDS,
  workflowLink,
  POOL_PAYOUTS,
} from './pool.page.ts';
import { amountsSection, type AmountsProps } from './amounts-section.ts';
import { previewSection } from './preview-section.ts';
import { reviewSection } from './review-section.ts';

export type PeriodProps = AmountsProps & {
  payouts: { lines: PayoutLine[]; all: number };
  waiting: WaitingLines[];
  preview: Preview | null;
  /** The names of the products of the preview. */
  names: ReadonlyMap<string, { name: string; slug: string }>;
  /** A preview is awaited, and the page looks again by itself. */
  isLooking: boolean;
  url: string | null;
  /** Only on the page that answers the press of a button. */
  approvalCode: { code: string; expiresAtMs: number } | null;
};

export function periodPage(props: PeriodProps): View {
  const { period, url } = props;
  const isOpen = period.status === 'open';
  const content = html`
    ${problemNotice(period.problem)} ${steps(period)} ${facts(period, url)}
    ${isOpen ? previewSection(props) : ''} ${reviewSection(props)}
    ${period.status === 'in_review' ? approval(props) : ''}
    ${period.computedAt === null ? '' : html`${amountsSection(props)} ${payoutsSection(props)}`}
    ${files(period)}
  `;
  const view = poolPage({ current: POOL, title: `Pool of ${periodName(period)}`, content });
  return props.approvalCode === null ? view : { ...view, showsSecret: true, hasCopyButtons: true };
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

function facts(period: PeriodView, url: string | null): HtmlSafeString {
  const { status, freezeDueAt, frozenAt, computedAt, approvedAt, approvedBy, paidAt } = period;
  const { poolShareBps, members, membersWithoutDays } = period;
  const shown: Fact[] = [
    ...(status === 'open' ? [['Freezes', instant(freezeDueAt)] satisfies Fact] : []),
    ...(frozenAt === null ? [] : [['Frozen', instant(frozenAt)] satisfies Fact]),
    ...(computedAt === null ? [] : [['Computed', instant(computedAt)] satisfies Fact]),
    ...(approvedAt === null
      ? []
      : [['Approved', html`${instant(approvedAt)}, ${approvedBy ?? '-'}`] satisfies Fact]),
    ...(paidAt === null ? [] : [['Paid', instant(paidAt)] satisfies Fact]),
    ['Rule', html`<code>${period.rule}</code>`],
    ...(poolShareBps === null
      ? []
      : [['Share for the pool', `${writeCount(poolShareBps)} basis points`] satisfies Fact]),
    ...(members === null
      ? []
      : [
          [
            'Members',
            `${writeCount(members)}, ${writeCount(membersWithoutDays ?? 0)} of them without a day`,
          ] satisfies Fact,
        ]),
    ...(computedAt === null ? [] : [['Balance', balance(period)] satisfies Fact]),
    ...(url === null ? [] : [['Workflow', workflowLink(url)] satisfies Fact]),
  ];
  return factList(shown);
}

/** The database refuses a row that does not balance. */
function balance(period: PeriodView): HtmlSafeString {
  const { fees, platform, products, unattributed } = writeSums(period);
  return html`<span data-balance
    >${fees} fees = ${platform} platform + ${products} products + ${unattributed} unattributed</span
  >`;
}

function approval(props: PeriodProps): HtmlSafeString {
  const { period, reviewed, products, token } = props;
  const held = reviewed.filter(({ heldFor }) => heldFor !== null).length;
  const undecided = reviewed.length - held;
  const count = (one: number, words: string) =>
    `${writeCount(one)} ${one === 1 ? words : `${words}s`}`;
  return html`<section>
    <h2>Approval</h2>
    ${askOnce({
      summary: 'Approve',
      label: `Approve ${periodName(period)}`,
      sentence: html`${formatMoney(period.productsMinor ?? 0, period.currency)} goes to
      ${count(products, 'product')}: the amounts are booked, and the payouts start now.
      ${count(held, 'held product')} and everything below the minimum wait for a later month.
      ${
        undecided === 0
          ? ''
          : html`<strong>${count(undecided, 'listed product')} would be paid unheld.</strong>`
      }
      An approved month is never computed again.`,
      button: smallButton({
        action: `${periodPath(period.id)}/approve`,
        token,
        button: `Approve ${periodName(period)}`,
        isMain: true,
      }),
    })}
    ${approvalInTemporal(props)}
  </section>`;
}

function approvalInTemporal({ period, approvalCode, token }: PeriodProps): HtmlSafeString {
  if (approvalCode === null) {
    return html`<p>Or approve in Temporal, with a code that is made here for you.</p>
      ${smallButton({
        action: `${periodPath(period.id)}/approval-code`,
        token,
        button: 'Show a code',
      })}`;
  }
  const { code, expiresAtMs } = approvalCode;
  return html`<article role="status" data-secret>
    <p>
      <strong>This code approves ${periodName(period)} in your name.</strong> Send it with the
      Update <code>approve</code> to the workflow of the month. It works once, until
      ${instant(new Date(expiresAtMs))}. The history of the workflow keeps the code, which approves
      nothing any more then.
    </p>
    <p>
      ${copyable({ id: 'approval-code', label: 'code', text: code, mark: html`data-approval-code` })}
    </p>
  </article>`;
}

/** Neither names a person: the key of the names is in neither. */
function files({ id, snapshotSha256, statementSha256 }: PeriodView): HtmlSafeString | '' {
  if (snapshotSha256 === null) return '';
  const file = (name: string, sha256: string) =>
    html`<li>
      <a href="${periodPath(id)}/files/${name}" download>Download ${name}</a><br />
      <small class="id">SHA-256 ${sha256}</small>
    </li>`;
  return html`<section>
    <h2>Files</h2>
    <ul>
      ${file('snapshot', snapshotSha256)}
      ${statementSha256 === null ? '' : file('statement', statementSha256)}
    </ul>
    <p class="muted">
      <small>
        Gzip files whose last line has this hash of the others. The snapshot names no person and no
        product.
        <a href="${CHECK_GUIDE}">Compute the statement yourself</a>
      </small>
    </p>
  </section>`;
}

/** Lists payouts, the unpaid ones first, each with the reason. */
function payoutsSection({
  period,
  payouts: { lines, all },
  waiting,
}: {
  period: PeriodView;
  payouts: { lines: PayoutLine[]; all: number };
  waiting: WaitingLines[];
}): HtmlSafeString {
  return html`<section>
      <h2>Payouts</h2>
      ${
        all > lines.length
          ? html`<p class="muted">The first ${lines.length} of ${writeCount(all)}.</p>`
          : ''
      }
      ${table({
        label: 'Payouts of the month',
        rows: lines,
        empty: 'No payouts yet.',
        columns: {
          To: ({ owner, id }: PayoutLine) => html`${owner}<br /><small class="id">${id}</small>`,
          Amount: ({ amountMinor, currency }) => formatMoney(amountMinor, currency),
          Status: payoutStatus,
          'Next attempt': ({ dueAt }) => (dueAt === null ? '-' : instant(dueAt)),
        },
      })}
    </section>
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
  return html`<section>
    <h2>Waits for a later month</h2>
    ${table({
      label: 'What waits',
      rows: waiting,
      empty: '',
      columns: {
        Reason: ({ status }: WaitingLines) => WAITING_WORDS[status] ?? sentenceCase(status),
        Lines: ({ lines }) => writeCount(lines),
        Amount: ({ amountMinor }) => formatMoney(amountMinor, currency),
      },
    })}
  </section>`;
}

function payoutStatus(line: PayoutLine): HtmlSafeString {
  const { status, attempts, lastError, isOutcomeUnknown } = line;
  return html`<span data-payout="${status}">${sentenceCase(status)}</span>${
      isOutcomeUnknown ? html`<br /><a href="${POOL_PAYOUTS}">Outcome unknown</a>` : ''
    }${
      attempts > 1 ? html`<br /><small class="muted">${attempts} attempts</small>` : ''
    }${lastError === null ? '' : html`<br /><small>${lastError}</small>`}`;
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import type { View } from '../../http/route.ts';
import { POOL } from '../operator.page.ts';
import { periodName, periodPath, poolPage, STATUS_WORDS, workflowLink } from './pool.page.ts';

type Props = {
  lines: PeriodView[];
  before: string | null;
  next: string | null;
  /** The workflow's page in Temporal; null where there is none. */
  toUrl(line: PeriodView): string | null;
};

export function periodsPage({ lines, before, next, toUrl }: Props): View {
  const content = html`
    <p>
      A month is frozen 72 hours after its end, computed and reviewed by rules. Nothing is paid
      before you approve it.
    </p>
    ${table({
      label: 'Months of the pool',
      rows: lines,
      empty: 'No months yet. The first one opens with the first charge for Member.',
      columns: {
        Month: (line: PeriodView) => html`<a href="${periodPath(line.id)}">${periodName(line)}</a>`,
        Status: status,
        Fees: (line) => money(line, line.feesMinor),
        Products: (line) => money(line, line.productsMinor),
        Unattributed: (line) => money(line, line.unattributedMinor),
        Due: due,
        Workflow: (line) => workflow(toUrl(line)),
      },
      pages: { path: POOL, before, next },
    })}
  `;
  return poolPage({ current: POOL, title: 'Creator pool', content });
}

function status({ status: is, problem }: PeriodView): HtmlSafeString {
  return html`<span data-status="${is}">${STATUS_WORDS[is]}</span>${
      problem === null ? '' : html`<br /><strong data-problem>${problem}</strong>`
    }`;
}

function money({ currency }: PeriodView, amountMinor: number | null): string {
  return amountMinor === null ? '-' : formatMoney(amountMinor, currency);
}

/** What is awaited next. */
function due({ status: is, freezeDueAt, paidAt }: PeriodView): HtmlSafeString | string {
  if (is === 'open') return html`Freezes ${instant(freezeDueAt)}`;
  if (is === 'in_review') return 'Your approval';
  return paidAt === null ? '-' : html`Paid ${instant(paidAt)}`;
}

function workflow(url: string | null): HtmlSafeString | string {
  return url === null ? '-' : workflowLink(url);
}

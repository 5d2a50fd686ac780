import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import { money } from '../../html/parts/money.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, POOL } from '../operator.page.ts';
import { periodName, periodPath, statusPill } from './pool.page.ts';

type Props = { lines: PeriodView[]; before: string | null; next: string | null };

export function periodsPage({ lines, before, next }: Props): View {
  const content = listCard({
    label: 'Months of the pool',
    rows: lines,
    empty: {
      title: 'No months yet',
      sentence: 'The first one opens with the first charge for Member.',
    },
    columns: {
      Month: name,
      State: { cell: status, onPhone: 'state' },
      'Next (UTC)': due,
      Fees: { cell: (line) => amount(line, line.feesMinor), isNumber: true },
      'To products': { cell: (line) => amount(line, line.productsMinor), isNumber: true },
      Unattributed: {
        cell: (line) => amount(line, line.unattributedMinor),
        isNumber: true,
        onPhone: 'drop',
      },
    },
    pages: { path: POOL, before, next },
  });
  return operatorPage({
    section: POOL,
    title: 'Creator pool',
    lead: 'A month is frozen 72 hours after its end, computed and reviewed by rules. Nothing is paid before you approve it.',
    content,
  });
}

function name(line: PeriodView): HtmlSafeString {
  const { problem } = line;
  return html`<a href="${periodPath(line.id)}">${periodName(line)}</a>${
      problem === null ? '' : html`<br /><small class="problem" data-problem>${problem}</small>`
    }`;
}

function status(line: PeriodView): HtmlSafeString {
  return html`<span data-status="${line.status}">${statusPill(line)}</span>`;
}

function amount({ currency }: PeriodView, amountMinor: number | null): HtmlSafeString | string {
  return amountMinor === null ? '' : money(amountMinor, currency);
}

/** What is awaited next. */
function due({ status: is, freezeDueAt, paidAt }: PeriodView): HtmlSafeString | string {
  if (is === 'open') return html`Freezes ${shortInstant(freezeDueAt)}`;
  if (is === 'in_review') return 'Your approval';
  return paidAt === null ? '' : html`Paid ${shortInstant(paidAt)}`;
}

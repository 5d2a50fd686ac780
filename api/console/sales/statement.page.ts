import { addMonths, monthOf } from '../../../domain/shared/instant.ts';
import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvLinks } from '../../html/csv-links.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import {
  emptyStatement,
  GROSS_PARTS,
  monthsUpTo,
  SELLER_KINDS,
  splitGross,
  type Month,
  type Statement,
} from '../../../domain/billing/ledger/seller-statement.ts';
import type { View } from '../../http/route.ts';
import { barChart } from '../../html/chart.ts';
import { table } from '../../html/table.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import { KIND_WORDS, PART_WORDS, statementsPath } from './statement-labels.ts';

export const SHOWN_MONTHS = 12;

type Props = {
  product: FramedProduct;
  month: Month;
  now: Date;
  /** The statements of the months that are shown. */
  statements: Statement[];
};

export function statementPage({ product, month, now, statements }: Props): View {
  const path = statementsPath(product.slug);
  const ofMonth = statements.filter(({ month: name }) => name === month.name);
  const currencies = [...new Set(statements.map(({ currency }) => currency))];
  return {
    title: `Statement of ${product.name} for ${month.name}`,
    ...productFrame(product, '/statements', html`Statement for ${month.name}`),
    content: html`
      ${otherMonths(path, { month, now })}
      ${
        ofMonth.length === 0
          ? html`<p>No entries in ${month.name}.</p>`
          : html`${ofMonth.map(section)}
            ${csvLinks(`${path}/${month.name}/entries.csv`, 'Download entries as CSV')}`
      }
      ${currencies.map(
        (currency) =>
          html`<h2>${SHOWN_MONTHS} months in ${currency}</h2>
            ${chart(currency, { month, statements })}`,
      )}
      <p class="muted">
        <small>
          Months are in UTC. A refund or a dispute counts in the month in which it happens, not in
          the month of the sale. Entries never change.
        </small>
      </p>
    `,
  };
}

function otherMonths(path: string, { month, now }: Pick<Props, 'month' | 'now'>): HtmlSafeString {
  const before = monthOf(addMonths(month.from, -1));
  return html`<nav class="paging" aria-label="Months">
    <a href="${path}/${before}" rel="prev">${before}</a>
    ${
      month.to > now
        ? ''
        : html`<a href="${path}/${monthOf(month.to)}" rel="next">${monthOf(month.to)}</a>`
    }
  </nav>`;
}

function section(statement: Statement): HtmlSafeString {
  const { currency, payments, sums, netMinor } = statement;
  const lines = SELLER_KINDS.map((kind) => ({
    name: html`${KIND_WORDS[kind]}`,
    amountMinor: sums[kind],
  }));
  return html`<section data-statement="${currency}">
    <h2>${currency}</h2>
    <p>${payments === 1 ? '1 payment' : `${payments} payments`}</p>
    ${table({
      label: `Statement in ${currency}`,
      empty: '',
      rows: [...lines, { name: html`<strong>Net</strong>`, amountMinor: netMinor }],
      columns: {
        Entry: ({ name }) => name,
        Amount: ({ amountMinor }) => formatMoney(amountMinor, currency),
      },
    })}
  </section>`;
}

function chart(
  currency: string,
  { month, statements }: Pick<Props, 'month' | 'statements'>,
): HtmlSafeString {
  const months = monthsUpTo(month, SHOWN_MONTHS).map(
    (name) =>
      statements.find((found) => found.month === name && found.currency === currency) ??
      emptyStatement(name, currency),
  );
  const write = (amountMinor: number) => formatMoney(amountMinor, currency);
  const total = (of: (statement: Statement) => number) =>
    write(months.reduce((sum, statement) => sum + of(statement), 0));
  return barChart({
    id: `months-${currency.toLowerCase()}`,
    title: `${SHOWN_MONTHS} months in ${currency}`,
    summary: `By month: gross ${total(({ sums }) => sums.gross)}, net ${total(({ netMinor }) => netMinor)}.`,
    series: GROSS_PARTS.map((name) => PART_WORDS[name]),
    bars: months.map((statement) => {
      const parts = splitGross(statement);
      return { label: statement.month, values: GROSS_PARTS.map((name) => parts[name]) };
    }),
    unit: 'Month',
    write,
  });
}

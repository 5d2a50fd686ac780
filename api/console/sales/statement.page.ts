import { addMonths, monthOf, writeMonth } from '../../../domain/shared/instant.ts';
import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvButtons } from '../../html/csv-links.ts';
import { writePlural } from '../../html/numbers.ts';
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
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { sums, type Sum } from '../../html/parts/sums.ts';
import { halves } from '../../html/parts/beside.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { purchasesPath } from './purchase-labels.ts';
import { KIND_WORDS, PART_WORDS, statementsPath } from './statement-labels.ts';

export const SHOWN_MONTHS = 12;

type Props = {
  product: FramedProduct;
  month: Month;
  now: Date;
  /** The statements of the months that are shown. */
  statements: Statement[];
};

export function statementPage(props: Props): View {
  const { product, month, now, statements } = props;
  const path = statementsPath(product.slug);
  const ofMonth = statements.filter(({ month: name }) => name === month.name);
  const currencies = [...new Set(statements.map(({ currency }) => currency))];
  // One month alone is no course, and its sums stand above.
  const isCourse = (currency: string) =>
    statements.filter((each) => each.currency === currency).length > 1;
  const file = `${path}/${month.name}/entries.csv`;
  return {
    title: `Statement of ${product.name} for ${writeMonth(month.name)}`,
    ...productFrame(product, '/statements', `Statement, ${writeMonth(month.name)}`, {
      state: month.to > now ? html`<span class="muted">So far</span>` : '',
      actions: html`${otherMonths(path, { month, now })}
      ${ofMonth.length === 0 ? '' : csvButtons(file)}`,
    }),
    content: html`
      ${
        ofMonth.length === 0
          ? note({ tone: 'plain', sentence: `No entries in ${writeMonth(month.name)}.` })
          : halves(html`${ofMonth.map((each) => section(each, product))}`)
      }
      ${currencies.filter(isCourse).map((currency) => chart(currency, { month, statements }))}
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
  const after = monthOf(month.to);
  return html`<nav class="buttons no-print" aria-label="Months">
    ${button({ text: `‹ ${writeMonth(before, 'short')}`, label: writeMonth(before, 'short'), href: `${path}/${before}` })}
    ${month.to > now ? '' : button({ text: `${writeMonth(after, 'short')} ›`, label: writeMonth(after, 'short'), href: `${path}/${after}` })}
  </nav>`;
}

/** Kinds without an entry in the month are left out. */
function section(statement: Statement, { slug }: FramedProduct): HtmlSafeString {
  const { currency, month, payments, sums: amounts, netMinor } = statement;
  const lines = SELLER_KINDS.filter((kind) => kind === 'gross' || amounts[kind] !== 0).map(
    (kind): Sum => [KIND_WORDS[kind], money(amounts[kind], currency)],
  );
  return html`<div data-statement="${currency}">
    ${card({
      title: currency,
      facts: writePlural(payments, 'payment'),
      body: sums(lines, ['You receive', money(netMinor, currency)]),
      foot: html`<span>The payment processor pays it out, and sets the day.</span>
        <a href="${pathWith(purchasesPath(slug), { month })}">See payments</a>`,
    })}
  </div>`;
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
  const title = `${SHOWN_MONTHS} months in ${currency}`;
  const [gross, net] = [total(({ sums: each }) => each.gross), total(({ netMinor }) => netMinor)];
  return card({
    title,
    facts: `Paid ${gross}, you receive ${net}`,
    body: barChart({
      id: `months-${currency.toLowerCase()}`,
      title,
      summary: `By month: paid ${gross}, you receive ${net}.`,
      series: GROSS_PARTS.map((name) => PART_WORDS[name]),
      bars: months.map((statement) => {
        const parts = splitGross(statement);
        return {
          label: writeMonth(statement.month, 'short'),
          values: GROSS_PARTS.map((name) => parts[name]),
        };
      }),
      unit: 'Month',
      write,
    }),
  });
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvLinks } from '../../html/csv-links.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { writeSums } from '../../../domain/pool/period/describe-sums.ts';
import { SMALLEST_BAND } from '../../../domain/pool/statement/bands.ts';
import type {
  LineMoney,
  PoolLineView,
  ProductPeriod,
} from '../../../domain/pool/payout-lines/product-periods.repository.ts';
import { CHECK_GUIDE, LINE_GUIDE } from '../../html/guide-links.ts';
import { factList, table, type Fact } from '../../html/table.ts';
import { writeCount as count, writePercent } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import { describePayout, poolPath, writeMoney } from './pool-labels.ts';

type Props = {
  product: FramedProduct;
  /** `2026-11`. */
  month: string;
  /** One for each currency. */
  found: ProductPeriod[];
};

export function poolMonthPage({ product, month, found }: Props): View {
  const path = poolPath(product.slug);
  return {
    title: `Creator pool of ${product.name} in ${month}`,
    ...productFrame(product, '/pool', html`Creator pool in ${month}`),
    content: html`
      <p><a href="${path}">All months</a></p>
      ${
        found.length === 0
          ? html`<p class="muted">There is no statement of this product for ${month}.</p>`
          : html`${found.map((each) => statement(each, product))}
            ${csvLinks(`${path}/${month}/lines.csv`, `Download ${month} as CSV`)}`
      }
    `,
  };
}

function statement(period: ProductPeriod, product: FramedProduct): HtmlSafeString {
  const { currency, lines, isApproved } = period;
  const own = lines.find(({ isCorrection }) => !isCorrection) ?? null;
  const bands = own === null || own.money === null ? '' : origin(own.money, period);
  return html`<section id="${currency.toLowerCase()}" data-pool-month="${period.periodId}">
    <h2>${currency}</h2>
    ${isApproved ? '' : inReview()} ${facts(period, own)} ${lineTable(period, product)} ${bands}
    ${isApproved ? html`${wholePool(period)} ${proof(period)}` : ''}
  </section>`;
}

function inReview(): HtmlSafeString {
  return html`<p class="notice" role="status">
    In review. Amounts are shown once operators have approved the month.
  </p>`;
}

function facts({ terms, currency }: ProductPeriod, own: PoolLineView | null): HtmlSafeString {
  const { poolShareBps, rule } = terms;
  const money = own?.money ?? null;
  const weight = money === null ? null : sumBands(money);
  return factList([
    ...(money === null ? [] : [['Amount', formatMoney(money.amountMinor, currency)] as Fact]),
    ['Qualified days of Members', count(own?.qualifiedDays ?? 0)],
    ...(money === null ? [] : [['Members', count(money.members)] as Fact]),
    ...(weight === null
      ? []
      : [['Weight', `${count(weight.daysHere)} of their ${count(weight.daysInAll)} days`] as Fact]),
    [
      'Share',
      `${writePercent(poolShareBps, 10_000)} of net fees goes to the pool (${count(poolShareBps)} basis points)`,
    ],
    ['Fee kept by the platform', writePercent(10_000 - poolShareBps, 10_000)],
    ['Rule', html`<code>${rule}</code>`],
  ]);
}

/** A correction stands under the month that it corrects. */
function lineTable(
  { lines, currency, month }: ProductPeriod,
  product: FramedProduct,
): HtmlSafeString {
  return table({
    label: `Lines of ${month} in ${currency}`,
    empty: '',
    rows: lines,
    columns: {
      For: ({ isCorrection, month: ofUse }) => (isCorrection ? `Correction of ${ofUse}` : ofUse),
      Amount: ({ money }) => writeMoney(money?.amountMinor ?? null, currency),
      Members: ({ money }) => (money === null ? '-' : count(money.members)),
      Days: ({ qualifiedDays }) => count(qualifiedDays),
      Payout: (line) => describePayout(line, product),
    },
  });
}

type Sums = { members: number; potsMinor: number; daysHere: number; daysInAll: number };

/** Returns null below ten Members. */
function sumBands({ bands }: LineMoney): Sums | null {
  if (bands.length === 0) return null;
  const zero = { members: 0, potsMinor: 0, daysHere: 0, daysInAll: 0 };
  return bands.reduce(
    (sum, band) => ({
      members: sum.members + band.members,
      potsMinor: sum.potsMinor + Number(band.potsMinor),
      daysHere: sum.daysHere + band.daysHere,
      daysInAll: sum.daysInAll + band.daysInAll,
    }),
    zero,
  );
}

function origin(money: LineMoney, { currency, month }: ProductPeriod): HtmlSafeString {
  const sums = sumBands(money);
  return html`<h3>How this number came about</h3>
    ${
      sums === null
        ? html`<p>
            Fewer than ${SMALLEST_BAND} Members used the product in ${month}. Only the total is
            shown, so that nobody learns what a known Member does elsewhere.
          </p>`
        : bandTable(money, { sums, currency, month })
    }
    <p><a href="${LINE_GUIDE}">What a line tells, and what it does not</a></p>`;
}

type BandProps = { sums: Sums; currency: string; month: string };

function bandTable({ bands, amountMinor }: LineMoney, { sums, currency, month }: BandProps) {
  const rows = [
    ...bands.map((band) => ({
      ...band,
      name: html`${describeDays(band)}`,
      pots: Number(band.potsMinor),
      amount: Number(band.amountMinor),
    })),
    { ...sums, name: html`<strong>All</strong>`, pots: sums.potsMinor, amount: amountMinor },
  ];
  return html`<p>
      A Member's pot is the part of this Member's fee that is for products. It goes to the products
      that this Member used, by days. Members are grouped by their days here, at least
      ${SMALLEST_BAND} in a group.
    </p>
    ${table({
      label: `How the amount of ${month} in ${currency} came about`,
      empty: '',
      rows,
      columns: {
        'Days here': ({ name }) => name,
        Members: ({ members }) => count(members),
        'Their pots': ({ pots }) => formatMoney(pots, currency),
        'Sum of days here': ({ daysHere }) => count(daysHere),
        'Their days in all': ({ daysInAll }) => count(daysInAll),
        Amount: ({ amount }) => formatMoney(amount, currency),
      },
    })}`;
}

function describeDays({ daysFrom, daysTo }: { daysFrom: number; daysTo: number }): string {
  return daysFrom === daysTo ? String(daysFrom) : `${daysFrom} to ${daysTo}`;
}

function wholePool({ terms, currency }: ProductPeriod): HtmlSafeString | '' {
  if (terms.members < SMALLEST_BAND) return '';
  const { fees, platform, products, unattributed } = writeSums({ currency, ...terms });
  return html`<h3>The whole pool</h3>
    ${factList([
      ['Net fees of Members', fees],
      ["Platform's part", platform],
      ['To products', products],
      [
        'Unattributed',
        html`${unattributed}
          <small class="muted"
            >pots of Members without a day that counts; the platform keeps them</small
          >`,
      ],
    ])}`;
}

function proof({ terms }: ProductPeriod): HtmlSafeString {
  return html`<h3>Check it yourself</h3>
    ${factList([
      [
        'SHA-256 of the snapshot',
        html`<span class="id"><code>${terms.snapshotSha256}</code></span>`,
      ],
      [
        'SHA-256 of the statement',
        html`<span class="id"><code>${terms.statementSha256}</code></span>`,
      ],
    ])}
    <p><a href="${CHECK_GUIDE}">How to compute a statement again</a></p>`;
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import { csvButtons } from '../../html/csv-links.ts';
import { writeBasisPoints, writeCount as count } from '../../html/numbers.ts';
import { writeSums } from '../../../domain/pool/period/describe-sums.ts';
import { SMALLEST_BAND } from '../../../domain/pool/statement/bands.ts';
import type {
  LineMoney,
  PoolLineView,
  ProductPeriod,
} from '../../../domain/pool/payout-lines/product-periods.repository.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import { CHECK_GUIDE, LINE_GUIDE } from '../../html/guide-links.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { factList } from '../../html/parts/facts.ts';
import { table } from '../../html/table.ts';
import { halves } from '../../html/parts/beside.ts';
import type { View } from '../../http/route.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import { describePayout, moneyOrDash, poolPath } from './pool-labels.ts';

type Props = {
  product: FramedProduct;
  /** `2026-11`. */
  month: string;
  /** One for each currency. */
  found: ProductPeriod[];
};

export function poolMonthPage({ product, month, found }: Props): View {
  const path = poolPath(product.slug);
  const words = writeMonth(month);
  return {
    title: `Creator pool of ${product.name} in ${words}`,
    ...productFrame(product, '/pool', words, {
      trail: [{ path, label: 'Member and pool' }],
      state: found.some(({ isApproved }) => !isApproved)
        ? pill({ word: 'In review', tone: 'info' })
        : '',
      actions: found.length === 0 ? '' : csvButtons(`${path}/${month}/lines.csv`),
    }),
    content:
      found.length === 0
        ? note({ tone: 'plain', more: `There is no statement of this product for ${words}.` })
        : html`${found.map((each) => statement(each, product))}`,
  };
}

function statement(period: ProductPeriod, product: FramedProduct): HtmlSafeString {
  const { currency, lines, isApproved } = period;
  const own = lines.find(({ isCorrection }) => !isCorrection) ?? null;
  const bands = own === null || own.money === null ? '' : origin(own.money, period);
  return html`<div
    class="stack"
    id="${currency.toLowerCase()}"
    data-pool-month="${period.periodId}"
  >
    ${isApproved ? '' : inReview()}
    ${card({ title: currency, body: facts(period, own), rows: lineTable(period, product) })}
    ${bands} ${isApproved ? halves(html`${wholePool(period)} ${proof(period)}`) : ''}
  </div>`;
}

function inReview(): HtmlSafeString {
  return note({
    tone: 'info',
    sentence: 'In review.',
    more: 'Amounts are shown once operators have approved the month.',
  });
}

function facts({ terms, currency }: ProductPeriod, own: PoolLineView | null): HtmlSafeString {
  const { poolShareBps, rule } = terms;
  const earned = own?.money ?? null;
  const weight = earned === null ? null : sumBands(earned);
  return factList([
    earned && ['Amount', html`<strong>${money(earned.amountMinor, currency)}</strong>`],
    ['Qualified days of Members', count(own?.qualifiedDays ?? 0)],
    earned && ['Members', count(earned.members)],
    weight && ['Weight', `${count(weight.daysHere)} of their ${count(weight.daysInAll)} days`],
    [
      'Share',
      `${writeBasisPoints(poolShareBps)} of net fees goes to the pool (${count(poolShareBps)} basis points)`,
    ],
    ['Fee kept by the platform', writeBasisPoints(10_000 - poolShareBps)],
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
      For: ({ isCorrection, month: ofUse }) =>
        isCorrection ? `Correction of ${writeMonth(ofUse, 'short')}` : writeMonth(ofUse, 'short'),
      Payout: (line) => describePayout(line, product),
      Members: {
        cell: (line) => (line.money === null ? '–' : count(line.money.members)),
        isNumber: true,
      },
      Days: { cell: ({ qualifiedDays }) => count(qualifiedDays), isNumber: true },
      Amount: {
        cell: (line) => moneyOrDash(line.money?.amountMinor ?? null, currency),
        isNumber: true,
      },
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

function origin(earned: LineMoney, { currency, month }: ProductPeriod): HtmlSafeString {
  const sums = sumBands(earned);
  return card({
    title: 'How this number came about',
    body: html`<p>
        ${
          sums === null
            ? `Fewer than ${SMALLEST_BAND} Members used the product in ${writeMonth(month)}. Only the total is shown, so that nobody learns what a known Member does elsewhere.`
            : `A Member's pot is the part of this Member's fee that is for products. It goes to the products that this Member used, by days. Members are grouped by their days here, at least ${SMALLEST_BAND} in a group.`
        }
      </p>
      <p><a href="${LINE_GUIDE}">What a line tells, and what it does not</a></p>`,
    ...(sums !== null && { rows: bandTable(earned, { sums, currency, month }) }),
  });
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
  return table({
    label: `How the amount of ${month} in ${currency} came about`,
    empty: '',
    rows,
    columns: {
      'Days here': ({ name }) => name,
      Members: { cell: ({ members }) => count(members), isNumber: true },
      'Their pots': { cell: ({ pots }) => money(pots, currency), isNumber: true },
      'Sum of days here': { cell: ({ daysHere }) => count(daysHere), isNumber: true },
      'Their days in all': { cell: ({ daysInAll }) => count(daysInAll), isNumber: true },
      Amount: { cell: ({ amount }) => money(amount, currency), isNumber: true },
    },
  });
}

function describeDays({ daysFrom, daysTo }: { daysFrom: number; daysTo: number }): string {
  return daysFrom === daysTo ? String(daysFrom) : `${daysFrom} to ${daysTo}`;
}

function wholePool({ terms, currency }: ProductPeriod): HtmlSafeString | '' {
  if (terms.members < SMALLEST_BAND) return '';
  const { fees, platform, products, unattributed } = writeSums({ currency, ...terms });
  return card({
    title: 'The whole pool',
    body: factList([
      ['Net fees of Members', fees],
      ["Platform's part", platform],
      ['To products', products],
      [
        'Unattributed',
        html`${unattributed}<br />
          <small class="muted"
            >pots of Members without a day that counts; the platform keeps them</small
          >`,
      ],
    ]),
  });
}

function proof({ terms }: ProductPeriod): HtmlSafeString {
  const hash = (text: string) => html`<span class="id"><code>${text}</code></span>`;
  return card({
    title: 'Check it yourself',
    body: html`${factList([
        ['SHA-256 of the snapshot', hash(terms.snapshotSha256)],
        ['SHA-256 of the statement', hash(terms.statementSha256)],
      ])}
      <p><a href="${CHECK_GUIDE}">How to compute a statement again</a></p>`,
  });
}

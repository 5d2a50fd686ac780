// How the fees of a month are divided, as figures and as one bar.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { writeSums } from '../../../domain/pool/period/describe-sums.ts';
import { card } from '../../html/parts/card.ts';
import { writeCount, writePercent } from '../../html/numbers.ts';
import { figures } from '../../html/parts/figures.ts';
import { money } from '../../html/parts/money.ts';
import { chartKey } from '../../html/chart.ts';

type Split = {
  currency: string;
  feesMinor: number;
  platformMinor: number;
  productsMinor: number;
  unattributedMinor: number;
  members: number;
  membersWithoutDays: number;
};

export function splitFigures(split: Split): HtmlSafeString {
  const { currency, feesMinor, members, membersWithoutDays } = split;
  const part = (minor: number) => `${writePercent(minor, feesMinor)} of the fees`;
  return figures([
    {
      name: 'To products',
      value: money(split.productsMinor, currency),
      change: part(split.productsMinor),
    },
    {
      name: 'Platform',
      value: money(split.platformMinor, currency),
      change: part(split.platformMinor),
    },
    {
      name: 'Unattributed',
      value: money(split.unattributedMinor, currency),
      change: `${writeCount(membersWithoutDays)} Members without a day`,
    },
    {
      name: 'Fees',
      value: money(feesMinor, currency),
      change: `from ${writeCount(members)} Members`,
    },
  ]);
}

/** One bar of all fees; the figures above it have the sums in words. */
export function splitCard(split: Split): HtmlSafeString {
  const { feesMinor, productsMinor, platformMinor, unattributedMinor } = split;
  const { fees, platform, products, unattributed } = writeSums(split);
  const parts = [
    { label: 'To products', minor: productsMinor, mark: 1 },
    { label: 'Platform', minor: platformMinor, mark: 6 },
    { label: 'Unattributed', minor: unattributedMinor, mark: 7 },
  ] as const;
  let before = 0;
  const bars = parts.map(({ minor, mark }) => {
    const [x, width] = [share(before, feesMinor), share(Math.max(0, minor), feesMinor)];
    before += Math.max(0, minor);
    return html`<rect class="bar-${mark}" x="${x}%" width="${width}%" height="100%" />`;
  });
  return card({
    title: 'Split of the fees',
    facts: chartKey(parts),
    body: html`<svg class="share-bar" role="img" data-chart="split" aria-labelledby="split-title">
      <title id="split-title">
        ${parts.map(({ label, minor }) => `${label} ${writePercent(minor, feesMinor)}`).join(', ')}
      </title>
      ${bars}
    </svg>`,
    foot: html`<span data-balance
      >${fees} fees = ${platform} platform + ${products} products + ${unattributed}
      unattributed</span
    >`,
  });
}

function share(minor: number, wholeMinor: number): string {
  return wholeMinor <= 0 ? '0' : ((100 * minor) / wholeMinor).toFixed(2);
}

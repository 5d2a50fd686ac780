import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  FEWEST_MEMBERS,
  REGULAR_FROM_DAYS,
  REGULAR_WITHIN_S,
  REVIEW_THRESHOLDS,
  SHARED_BY,
  YOUNG_DAYS,
} from '../../domain/pool/review/review-rules.ts';
import { correctMember } from '../../domain/pool/split/correction.ts';
import { netFeeMinor } from '../../domain/pool/split/net-fee.ts';
import { POOL_RULE } from '../../domain/pool/split/pool-rule.ts';
import { SMALLEST_BAND } from '../../domain/pool/statement/bands.ts';
import { computeStatement } from '../../domain/pool/statement/compute-statement.ts';
import { sha256Hex } from '../../domain/shared/sha256.ts';
import { simulateExample } from '../../scripts/pool/simulate.ts';
import { HASHING, HEADER, writeSnapshot } from '../support/pool/snapshots.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { ROOT } from '../support/repository/imports.ts';

const page = readFileSync(join(ROOT, 'docs/pool-and-seal.md'), 'utf8');
const [example = ''] = readBlocks('docs/pool-and-seal.md', 'json');
const ana = JSON.parse(example) as Record<string, number> & {
  month: string;
  qualified_days: Record<string, number>;
};
const terms = {
  period: ana.month,
  rule: POOL_RULE.id,
  poolShareBps: ana['pool_share_bps']!,
};
const member = {
  member: sha256Hex('Ana'),
  netMinor: netFeeMinor({
    grossMinor: ana['gross_minor']!,
    processorFeeMinor: ana['processor_fee_minor']!,
    returnedMinor: ana['returned_minor']!,
  }),
  products: Object.entries(ana.qualified_days).map(([name, days]) => ({
    product: sha256Hex(name),
    days,
  })),
};
const names = Object.keys(ana.qualified_days);

/** The cells of the table with this first heading. */
function readTable(heading: string): string[][] {
  const [, table = ''] = page.split(`| ${heading} `);
  const [, , ...rows] = table.split('\n\n')[0]!.split('\n');
  const cells = rows.filter((row) => row.startsWith('|'));
  return cells.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('the split of the example is what the rule gives', (t) => {
  const given = { terms, sha256: sha256Hex };
  const { potMinor, platformMinor, amountsMinor, totalDays } = POOL_RULE.splitMember(member, given);
  const rows = member.products.map(({ days }, index) => {
    const exact = potMinor * days;
    return [
      names[index]!,
      days,
      Math.floor(exact / totalDays),
      exact % totalDays,
      amountsMinor[index]!,
    ];
  });
  t.deepEqual(
    readTable('product').map(([name, ...cells]) => [name, ...cells.map(Number)]),
    rows,
  );
  t.true(page.includes(`= ${potMinor}, and she has ${totalDays} days in all`));
  t.true(page.includes(`The platform keeps ${platformMinor}.`));
});

test('the refund of the example takes back what the statement gave', async (t) => {
  const header = { ...HEADER, ...terms, correctedPeriods: [] };
  const { products } = await computeStatement(
    [writeSnapshot({ header, members: [member] })],
    HASHING,
  );
  const after = { ...member, netMinor: 0 };
  const change = { member: member.member, before: member, after };
  const correction = correctMember(change, { rule: POOL_RULE, terms, sha256: sha256Hex });
  for (const { product, amountMinor } of correction.products) {
    t.is(products.find((line) => line.product === product)!.amountMinor, BigInt(-amountMinor));
  }
  const [first, second, third] = correction.products.map(({ amountMinor }) => amountMinor);
  t.true(page.includes(`December: ${first}, ${second} and ${third}.`));
});

test('the comparison of the page is what simulate prints', async (t) => {
  // The page breaks its lines, the command does not.
  const inOneLine = (text: string) => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
  t.true(inOneLine(page).includes(`\n\n${inOneLine(await simulateExample())}\n\n`));
});

test('the review rules of the page are those of the code', (t) => {
  const thresholds = readTable('rule').map(([rule = '', , threshold = '']) => [
    rule.replaceAll('`', ''),
    Number(threshold.replace(',', '')),
  ]);
  t.deepEqual(Object.fromEntries(thresholds), REVIEW_THRESHOLDS);
  for (const words of [
    `younger than ${YOUNG_DAYS} days`,
    `more than ${SHARED_BY} accounts`,
    `with ${REGULAR_FROM_DAYS} days or more`,
    `within ${REGULAR_WITHIN_S} seconds`,
    `from ${FEWEST_MEMBERS} Members on`,
    `at least ${SMALLEST_BAND} Members`,
  ]) {
    t.true(page.includes(words), words);
  }
});

import { createSnapshotWriter } from '../../domain/pool/snapshot/snapshot-writer.ts';
import { splitByLargestRemainder } from '../../domain/pool/split/largest-remainder.ts';
import { potMinor } from '../../domain/pool/split/net-fee.ts';
import { computeStatement } from '../../domain/pool/statement/compute-statement.ts';
import type { Statement } from '../../domain/pool/statement/pool-statement.ts';
import { createSha256 } from '../../domain/shared/sha256.ts';
import { BOT_FARM, makeExample, type Example } from './example.ts';
import { HASHING, UnreadableError } from './read-snapshot.ts';

const HEADINGS = ['product', 'Members', 'days', 'user-centric', 'pro rata', 'difference'];
const ID_DIGITS = 12;

type Row = {
  product: string;
  members: number;
  days: number;
  userCentricMinor: bigint;
  proRataMinor: bigint;
};

/** What each product gets by its Members' own fees, and what it would get of one shared pot by days. */
export function compareRules({ poolShareBps, products, sums }: Statement): Row[] {
  const sharedMinor = potMinor(toNumber(sums.feesMinor), poolShareBps);
  const weights = products.map(({ qualifiedDays }) => qualifiedDays);
  const proRata =
    weights.length === 0
      ? []
      : splitByLargestRemainder(sharedMinor, {
          weights,
          rankOf: (index) => products[index]!.product,
        });
  return products.map(({ product, members, qualifiedDays, amountMinor }, index) => ({
    product,
    members,
    days: qualifiedDays,
    userCentricMinor: amountMinor,
    proRataMinor: BigInt(proRata[index]!),
  }));
}

/** The comparison as a table of Markdown, the largest amounts first. */
export function simulate(statement: Statement, names = new Map<string, string>()): string {
  const { period, currency, poolShareBps, members, sums } = statement;
  const rows = compareRules(statement)
    .toSorted((one, other) => (one.userCentricMinor > other.userCentricMinor ? -1 : 1))
    .map(({ product, members, days, userCentricMinor, proRataMinor }) => [
      names.get(product) ?? product.slice(0, ID_DIGITS),
      ...[members, days, userCentricMinor, proRataMinor, proRataMinor - userCentricMinor].map(
        group,
      ),
    ]);
  const intro = `${group(members)} Members, fees of ${group(sums.feesMinor)} ${currency} in minor units in ${period}, ${group(poolShareBps)} basis points for the pool. Members without a day: ${group(sums.unattributedMinor)}.`;
  return [intro, '', ...toTable([HEADINGS, ...rows])].join('\n');
}

/** A usual and a quiet month with a bot farm. */
export async function simulateExample(): Promise<string> {
  const parts: string[] = [];
  for (const [title, days] of [
    ['A usual month', 8_000],
    ['A quiet month', 800],
  ] as const) {
    const example = makeExample({ days });
    const statement = await computeStatement(writeExample(example), HASHING);
    parts.push(`${title}: ${simulate(statement, example.names)}`);
    parts.push(describeBotFarm(statement, example));
  }
  return parts.join('\n\n');
}

function* writeExample({ header, members }: Example): Generator<string> {
  const writer = createSnapshotWriter(header, createSha256);
  yield writer.begin();
  for (const member of members) yield writer.member(member);
  yield writer.end().text;
}

function describeBotFarm(statement: Statement, { botFarm }: Example): string {
  const row = compareRules(statement).find(({ product }) => product === botFarm.product)!;
  return `The ${botFarm.members} Members of ${BOT_FARM} paid ${group(botFarm.paidMinor)} in all. User-centric it gets ${group(row.userCentricMinor)}, by a shared pot ${group(row.proRataMinor)}.`;
}

/**
 * Writes a table as the formatter of the documentation does: names to the left, numbers to the
 * right.
 */
function toTable(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!);
  const [headings = '', ...lines] = rows.map((row) => `| ${row.map(pad).join(' | ')} |`);
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [headings, `| ${rule.join(' | ')} |`, ...lines];
}

function group(count: number | bigint): string {
  return count.toLocaleString('en');
}

function toNumber(amountMinor: bigint): number {
  if (amountMinor > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new UnreadableError(`Fees of ${amountMinor} minor units are too much to compare.`);
  }
  return Number(amountMinor);
}

import test from 'ava';
import { LINES, readSnapshot, signAnew, SNAPSHOT } from '../../support/pool/snapshots.ts';

const FIRST_PRODUCT = LINES.findIndex((line) => /^\{"member".*"product"/.test(line));
const FIRST_FEE = LINES.findIndex((line) => line.startsWith('{"member"'));

/** The line is changed and the last line is right again. */
const changed = (place: number, change: (line: string) => string) =>
  signAnew(LINES.map((line, index) => (index === place ? change(line) : line)));
const swapped = (one: number) =>
  signAnew(
    LINES.map((line, at) => (at === one || at === one + 1 ? LINES[2 * one + 1 - at]! : line)),
  );
const doubled = (place: number) =>
  signAnew(LINES.flatMap((line, index) => (index === place ? [line, line] : [line])));

const DAMAGED: [title: string, text: string, message: RegExp][] = [
  ['nothing at all', '', /^line 1: the file ends without its last line/],
  [
    'without its last line',
    `${LINES.join('\n')}\n`,
    /^line 12: the file ends without its last line/,
  ],
  [
    'cut within a line',
    SNAPSHOT.slice(0, SNAPSHOT.indexOf('net_minor')),
    /^line 2: the file ends within/,
  ],
  [
    'cut before the last end of line',
    SNAPSHOT.slice(0, -1),
    /^line 12: the file ends within the line/,
  ],
  [
    'a line missing',
    SNAPSHOT.replace(`${LINES[FIRST_PRODUCT]}\n`, ''),
    /^line 11: the file says 11 lines, and 10 stand/,
  ],
  [
    'a fee changed',
    SNAPSHOT.replace('"net_minor":"940"', '"net_minor":"941"'),
    /^line 12: the file says the hash/,
  ],
  ['something after the end', `${SNAPSHOT}${LINES[1]}\n`, /^line 13: the file has lines after/],
  [
    'products reordered',
    swapped(LINES.findIndex((line) => line.endsWith('"qualified_days":"1"}'))),
    /^line 9: the lines are not in order/,
  ],
  [
    'a Member before the corrections',
    signAnew([LINES[0]!, ...LINES.slice(FIRST_FEE), ...LINES.slice(1, FIRST_FEE)]),
    /^line \d+: the lines are not in order/,
  ],
  [
    'a product before the fee',
    swapped(FIRST_FEE),
    /^line \d+: (a product comes before|the lines are not in order)/,
  ],
  ['a product twice', doubled(FIRST_PRODUCT), /^line \d+: the line repeats an earlier one/],
  ['a fee twice', doubled(FIRST_FEE), /^line \d+: (the line repeats|the lines are not in order)/],
  ['a correction twice', doubled(1), /^line 3: the line repeats an earlier one/],
  ['a corrected product twice', doubled(2), /^line 4: the line repeats an earlier one/],
  [
    'a negative fee',
    changed(FIRST_FEE, (line) => line.replace(/"(\d+)"\}$/, '"-5"}')),
    /^line 5: "net_minor" is "-5", and must be a whole number/,
  ],
  [
    'a fee with a fraction',
    changed(FIRST_FEE, (line) => line.replace(/"(\d+)"\}$/, '"9.5"}')),
    /^line 5: "net_minor" is "9\.5"/,
  ],
  [
    'a fee that is no text',
    changed(FIRST_FEE, (line) => line.replace(/"(\d+)"\}$/, '5}')),
    /^line 5: "net_minor" is 5, and must be .* as text/,
  ],
  [
    'a fee that is too large',
    changed(FIRST_FEE, (line) => line.replace(/"(\d+)"\}$/, `"${'9'.repeat(16)}"}`)),
    /^line 5: "net_minor" is "9{16}"/,
  ],
  [
    'negative days',
    changed(FIRST_PRODUCT, (line) => line.replace(/"(\d+)"\}$/, '"-1"}')),
    /"qualified_days" is "-1"/,
  ],
  [
    'days with a fraction',
    changed(FIRST_PRODUCT, (line) => line.replace(/"(\d+)"\}$/, '"1.5"}')),
    /"qualified_days" is "1\.5"/,
  ],
  [
    'no days',
    changed(FIRST_PRODUCT, (line) => line.replace(/"(\d+)"\}$/, '"0"}')),
    /"qualified_days" is "0"/,
  ],
  [
    'days with a zero before',
    changed(FIRST_PRODUCT, (line) => line.replace(/"(\d+)"\}$/, '"01"}')),
    /"qualified_days" is "01"/,
  ],
  [
    'days as a number',
    changed(FIRST_PRODUCT, (line) => line.replace(/"(\d+)"\}$/, '3}')),
    /"qualified_days" is 3/,
  ],
  [
    'more days than a month has',
    changed(FIRST_PRODUCT, (line) => line.replace(/"(\d+)"\}$/, '"32"}')),
    /"qualified_days" is "32"/,
  ],
  [
    'an unknown field',
    changed(FIRST_PRODUCT, (line) => line.replace(/\}$/, ',"x":"1"}')),
    /the field "x" is unknown here/,
  ],
  [
    'spaces',
    changed(FIRST_PRODUCT, (line) => line.replace('":"', '": "')),
    /not in its canonical form/,
  ],
  [
    'keys in another order',
    changed(FIRST_FEE, (line) => line.replace(/^\{(.*),(.*)\}$/, '{$2,$1}')),
    /not in its canonical form/,
  ],
  [
    'a name instead of a pseudonym',
    changed(FIRST_PRODUCT, (line) => line.replace(/"product":"\w+"/, '"product":"Editor"')),
    /"product" is "Editor", and must be 64 hex digits/,
  ],
  [
    'capital digits',
    changed(FIRST_PRODUCT, (line) => line.replace(/(?<="product":")\w+/, (id) => id.toUpperCase())),
    /"product" is "[0-9A-F]{64}", and must be 64 hex/,
  ],
  ['no JSON', changed(FIRST_FEE, () => 'member'), /^line 5: the line is no JSON/],
  ['no object', changed(FIRST_FEE, () => '"member"'), /^line 5: the line is no JSON object/],
  ['an empty line', changed(FIRST_FEE, () => ''), /^line 5: the line is no JSON/],
  [
    'an unknown rule',
    changed(0, (line) => line.replace(/user-centric-1"\}$/, 'user-centric-9"}')),
    /^line 1: the rule "user-centric-9" is unknown/,
  ],
  [
    'an unknown rule of a corrected period',
    changed(0, (line) => line.replace('user-centric-1', 'pro-rata-1')),
    /^line 1: the rule "pro-rata-1" is unknown/,
  ],
  [
    'an unknown format',
    changed(0, (line) => line.replace('snapshot-1', 'snapshot-2')),
    /^line 1: the format "gatehouse-pool-snapshot-2" is unknown/,
  ],
  [
    'a share of more than all',
    changed(0, (line) => line.replace('"7000"', '"10001"')),
    /^line 1: "pool_share_bps" is "10001"/,
  ],
  ['no first line', signAnew(LINES.slice(1)), /^line 1: "corrected_periods" must be a list/],
  ['no line but the last', signAnew([]), /^line 1: the first line must say format and rule/],
  [
    'a corrected period that is not named',
    changed(0, (line) => line.replace('2026-08', '2026-07')),
    /^line 2: 2026-08 is not among the corrected periods/,
  ],
  [
    'a corrected period that is the month',
    changed(0, (line) => line.replace('2026-08', '2026-10')),
    /^line 1: the corrected periods are not in order/,
  ],
  ['a line without end', `${LINES[0]}\n${'x'.repeat(70_000)}`, /^line 2: the line is too long/],
];

for (const [title, text, message] of DAMAGED) {
  test(`a damaged snapshot is refused with its line: ${title}`, (t) => {
    t.throws(() => readSnapshot([text]), { name: 'SnapshotError', message });
  });
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { chooseFigures, judge, type Figure, type Measurement } from '../packages/bench/figure.ts';
import { MEASUREMENTS } from '../packages/bench/figures/index.ts';
import { compareSides, inRounds } from '../packages/bench/measure/rounds.ts';
import { formatTable, writeResults } from '../packages/bench/report.ts';
import { median, percentile } from '../packages/bench/measure/statistics.ts';
import type { Stage } from '../packages/bench/stage.ts';
import { makeFolder } from './support/engines/folder.ts';

const figure = (id: string): Figure => ({
  id,
  what: `figure ${id}`,
  bounds: { must: 0.5, stretch: 0.9, better: 'higher' },
});

const measurement = (ids: string[], isByNameOnly = false): Measurement => ({
  figures: ids.map(figure),
  isByNameOnly,
  measure: async () => [],
});

const idsOf = (all: readonly Measurement[]) =>
  all.flatMap(({ figures }) => figures.map(({ id }) => id));

/** A stage on which nothing runs: it notes what is done on it. */
function noteOn(rounds: number) {
  const notes: string[] = [];
  const stop = async () => void notes.push('stop');
  const stage = { rounds, say() {}, servers: { stop } } as unknown as Stage;
  return { stage, notes };
}

test('the median of an odd and of an even number of rounds', (t) => {
  t.is(median([3, 1, 2]), 2);
  t.is(median([4, 1, 3, 2]), 2.5);
  t.throws(() => median([]));
});

test('percentiles are by nearest rank', (t) => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  t.is(percentile(values, 50), 100);
  t.is(percentile(values, 99), 198);
  t.is(percentile([7], 99), 7);
});

test('a round is a start of both sides, which take turns and are stopped', async (t) => {
  const { stage, notes } = noteOn(2);
  const side = (name: string, value: number) => ({
    warmUp: async () => notes.push(`warm ${name}`),
    async measure() {
      notes.push(name);
      return value;
    },
  });
  const rounds = await compareSides(stage, async () => {
    notes.push('start');
    return { ours: side('ours', 1), theirs: side('theirs', 2) };
  });
  t.deepEqual(rounds, [
    { theirs: 2, ours: 1 },
    { ours: 1, theirs: 2 },
  ]);
  const first = ['start', 'warm theirs', 'warm ours', 'theirs', 'ours', 'stop'];
  const second = ['start', 'warm ours', 'warm theirs', 'ours', 'theirs', 'stop'];
  t.deepEqual(notes, [...first, ...second]);
});

test('what a round has started is stopped when the round fails', async (t) => {
  const { stage, notes } = noteOn(2);
  await t.throwsAsync(
    inRounds(stage, () => Promise.reject(new Error('no server'))),
    {
      message: 'no server',
    },
  );
  t.deepEqual(notes, ['stop']);
});

test('a figure is ok where its median reaches what it must', (t) => {
  const higher = figure('P1');
  t.like(judge(higher, [0.4, 0.5, 2]), { value: 0.5, range: [0.4, 2], must: 0.5, ok: true });
  t.false(judge(higher, [0.4, 0.49, 2]).ok);
  const lower: Figure = { ...higher, bounds: { must: 2, stretch: null, better: 'lower' } };
  t.like(judge(lower, [1, 2, 9]), { value: 2, stretch: null, ok: true });
  t.false(judge(lower, [1, 2.1, 9]).ok);
});

test('a reference has nothing to reach', (t) => {
  const reference: Figure = { ...figure('R1'), bounds: null };
  t.like(judge(reference, [5_000]), { must: null, stretch: null, ok: true });
});

test('figures run by name, or all but those that take long', (t) => {
  const all = [measurement(['P1', 'P2']), measurement(['P18'], true)];
  const ids = (names: string[]) => idsOf(chooseFigures(all, names));
  t.deepEqual(ids([]), ['P1', 'P2']);
  t.deepEqual(ids(['p18', 'P2']), ['P2', 'P18']);
  t.throws(() => ids(['P99']), { message: /no figure P99; there are P1, P2, P18/ });
});

test('the name of a figure names all its parts', (t) => {
  const all = [measurement(['P1']), measurement(['P19A']), measurement(['P19W'], true)];
  const ids = (names: string[]) => idsOf(chooseFigures(all, names));
  t.deepEqual(ids(['p19']), ['P19A', 'P19W']);
  t.deepEqual(ids(['P19W']), ['P19W']);
  t.deepEqual(ids(['P1']), ['P1']);
  t.throws(() => ids(['P']));
});

test('every figure has a name of its own', (t) => {
  const ids = idsOf(MEASUREMENTS);
  t.is(new Set(ids).size, ids.length);
});

test('the table and the file hold the figures that were run, with all their rounds, and no others', (t) => {
  const results = [
    judge(figure('P1'), [0.123_45, 0.123_46, 0.1]),
    judge({ ...figure('R1'), bounds: null }, [1_234.5]),
  ];
  const [headings, first, second] = formatTable(results).split('\n');
  t.regex(headings!, /^ +id +what +value +range +must +stretch +ok$/);
  t.regex(first!, /^ +P1 +figure P1 +0\.123 +0\.1 to 0\.123 +0\.5 +0\.9 +NO$/);
  t.regex(second!, /^ +R1 +figure R1 +1235 +1235 to 1235 +- +- +-$/);
  const file = join(makeFolder(t), 'results.json');
  writeResults(file, { versions: { node: '24' }, figures: results });
  const written = JSON.parse(readFileSync(file, 'utf8'));
  t.deepEqual(Object.keys(written), ['machine', 'versions', 'figures']);
  t.deepEqual(written.figures, results);
  t.deepEqual(written.figures[0].rounds, [0.123_45, 0.123_46, 0.1]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { chooseFigures, judge, type Figure } from '../packages/bench/figure.ts';
import { FIGURES } from '../packages/bench/figures/index.ts';
import { formatTable, writeResults } from '../packages/bench/report.ts';
import { median, percentile, ratios } from '../packages/bench/measure/statistics.ts';
import { makeFolder } from './support/engines/folder.ts';

const figure = (id: string, isByNameOnly = false): Figure => ({
  id,
  what: `figure ${id}`,
  bounds: { must: 0.5, stretch: 0.9, better: 'higher' },
  isByNameOnly,
  measure: async () => [],
});

test('the median of an odd and of an even number of rounds', (t) => {
  t.is(median([3, 1, 2]), 2);
  t.is(median([4, 1, 3, 2]), 2.5);
  t.throws(() => median([]));
});

test('ratios are taken round by round', (t) => {
  t.deepEqual(ratios([10, 30], [20, 20]), [0.5, 1.5]);
  t.throws(() => ratios([1], [1, 2]));
});

test('percentiles are by nearest rank', (t) => {
  const values = Array.from({ length: 200 }, (_, index) => index + 1);
  t.is(percentile(values, 50), 100);
  t.is(percentile(values, 99), 198);
  t.is(percentile([7], 99), 7);
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
  const all = [figure('P1'), figure('P2'), figure('P18', true)];
  const ids = (names: string[]) => chooseFigures(all, names).map(({ id }) => id);
  t.deepEqual(ids([]), ['P1', 'P2']);
  t.deepEqual(ids(['p18', 'P1']), ['P1', 'P18']);
  t.throws(() => ids(['P99']), { message: /no figure P99; there are P1, P2, P18/ });
});

test('the name of a figure names all its parts', (t) => {
  const all = [figure('P1'), figure('P19A'), figure('P19W', true)];
  const ids = (names: string[]) => chooseFigures(all, names).map(({ id }) => id);
  t.deepEqual(ids(['p19']), ['P19A', 'P19W']);
  t.deepEqual(ids(['P19W']), ['P19W']);
  t.deepEqual(ids(['P1']), ['P1']);
  t.throws(() => ids(['P']));
});

test('every figure has a name of its own', (t) => {
  const ids = FIGURES.map(({ id }) => id);
  t.is(new Set(ids).size, ids.length);
});

test('the table and the file hold the figures that were run, and no others', (t) => {
  const results = [
    judge(figure('P1'), [0.123_45]),
    judge({ ...figure('R1'), bounds: null }, [1_234.5]),
  ];
  const [headings, first, second] = formatTable(results).split('\n');
  t.regex(headings!, /^ +id +what +value +range +must +stretch +ok$/);
  t.regex(first!, /^ +P1 +figure P1 +0\.123 +0\.123 to 0\.123 +0\.5 +0\.9 +NO$/);
  t.regex(second!, /^ +R1 +figure R1 +1235 +1235 to 1235 +- +- +-$/);
  const file = join(makeFolder(t), 'results.json');
  writeResults(file, { versions: { node: '24' }, figures: results });
  const written = JSON.parse(readFileSync(file, 'utf8'));
  t.deepEqual(Object.keys(written), ['machine', 'versions', 'figures']);
  t.deepEqual(written.figures, results);
});

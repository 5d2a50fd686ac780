import { ENTITIES } from '../../../domain/entities.ts';
import { searchStore } from '../../../domain/catalog/search/search-store.repository.ts';
import { readSearchQuery } from '../../../domain/catalog/search/search-words.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import type { Measurement } from '../figure.ts';
import { compareSides, type Side } from '../measure/rounds.ts';
import { median, percentile } from '../measure/statistics.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const READS = 100;
const QUERIES = 1_000;
const ALL = { category: null, platform: null, isIncluded: false, isSealed: false };

export const storeSearch: Measurement = {
  figures: figures('T1A', 'T1B', 'T1C', 'T1D', 'T1E', 'T1F'),
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.store();
    const { databaseUrl: url } = stage;
    const database = openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
    const names = await sampleNames(stage);
    const generated = await generateQueries(stage);
    const search = (texts: readonly string[]) => timeSearches(database, texts);
    const rounds = await compareSides(stage, async () => ({
      T1A: search(['fifty']),
      T1B: search(['thousand']),
      T1C: search(['tenthousand']),
      T1D: search(['most']),
      T1E: search(names.map(misspell)),
      T1F: search(generated),
      bare: timeReads(READS, () => readBare(database)),
    }));
    await database.close();
    return rounds.map(({ bare, T1F, ...searches }) => {
      const ms = median(bare);
      const p50 = Object.entries(searches).map(([id, times]) => [id, median(times)] as const);
      const p99 = percentile(T1F, 99);
      const said = [...p50, ['T1F p99', p99] as const].map(
        ([id, took]) => `${id} ${took.toFixed(2)}`,
      );
      stage.say(`    bare ${ms.toFixed(3)} ms; ${said.join(', ')} ms`);
      return { ...Object.fromEntries(p50.map(([id, took]) => [id, took / ms])), T1F: p99 / ms };
    });
  },
};

async function sampleNames({ pool }: Stage): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select name from product_search order by md5(name) limit 100',
  );
  return rows.map(({ name }) => name);
}

/** One letter is missing, two have changed places. */
const misspell = (name: string) =>
  name.slice(0, 2) + name.slice(3, 5) + name[6] + name[5] + name.slice(7);

/** Pairs of common words, words of unpopular products, and single words of all kinds. */
async function generateQueries({ pool }: Stage): Promise<string[]> {
  const { rows } = await pool.query<{ word: string; ndoc: number }>(
    `select word, ndoc from ts_stat('select line_words from product_search') where word ~ '^[a-z]{4,}$'
     order by ndoc desc, word`,
  );
  const common = rows.slice(0, 60).map(({ word }) => word);
  const { rows: unpopular } = await pool.query<{ text: string }>(
    `select name || ' ' || split_part(product.tagline, ' ', 2) as text from product_search
     join product on product.id = product_id
     order by popularity, product_search.listed_at limit 300`.replace(
      'select name',
      'select product_search.name',
    ),
  );
  const pick = (list: readonly string[], n: number) => list[(n * 7_919) % list.length]!;
  return Array.from({ length: QUERIES }, (_, n) => {
    if (n % 4 === 0) return `${pick(common, n)} ${pick(common, n + 1)} ${pick(common, n + 2)}`;
    if (n % 4 === 1) return unpopular[(n * 31) % unpopular.length]!.text;
    if (n % 4 === 2) return `${pick(common, n)} most`;
    return pick(
      rows.map(({ word }) => word),
      n,
    );
  });
}

function timeSearches(database: Database, texts: readonly string[]): Side<number[]> {
  let next = 0;
  return timeReads(Math.max(READS, texts.length), async () => {
    const query = readSearchQuery(texts[next % texts.length]!);
    next += 1;
    await searchStore(database.em(), { query, filters: ALL, page: 1 });
  });
}

const BARE = `
  select product_id, name from product_search
  order by popularity desc, listed_at desc, product_id limit 24`;

async function readBare({ pool }: Database): Promise<void> {
  const { rowCount } = await pool.query({ name: 'bare', text: BARE });
  if (rowCount !== 24) throw new Error(`${rowCount} rows were read`);
}

/** The times of reads one after the other, in ms. */
function timeReads(reads: number, read: () => Promise<void>): Side<number[]> {
  const times = async () => {
    const took: number[] = [];
    for (let n = 0; n < reads; n += 1) {
      const startedAt = performance.now();
      await read();
      took.push(performance.now() - startedAt);
    }
    return took;
  };
  return { warmUp: times, measure: times };
}

import { expressionBuilder, type Expression, type SqlBool, type Kysely } from 'kysely';
import { isStatementTimeout, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import type { Category, Platform } from '../listing-words.ts';
import type { SearchQuery } from './search-words.ts';

export type StoreFilters = {
  category: Category | null;
  platform: Platform | null;
  isIncluded: boolean;
  isSealed: boolean;
};

export const SEARCH_PAGE = 24;

type Search = { query: SearchQuery; filters: StoreFilters; page: number };

/** Names that are nearly the same are shown below fewer hits than these. */
const FEW = 5;
/** `papr trial` and `paper trail` have 0.278; the default of 0.3 would miss it. */
const SIMILAR_FROM = '0.25';

/** Finds the products of a page, best first, and whether others follow. */
export async function searchStore(em: EntityManager, { query, filters, page }: Search) {
  const most = page * SEARCH_PAGE + 1;
  return kysely(em)
    .transaction()
    .execute(async (db) => {
      await applySettings(db);
      const found = await findInPasses(db, { query, filters, most });
      const ids = found.map(({ productId }) => productId);
      const isSimilarShown = page === 1 && ids.length < FEW && query.name !== '';
      const similar = isSimilarShown ? await findSimilarInTime(db, { query, filters }) : [];
      return {
        ids: ids.slice(most - SEARCH_PAGE - 1, most - 1),
        similarIds: similar.map(({ productId }) => productId).filter((id) => !ids.includes(id)),
        hasMore: ids.length === most,
      };
    });
}

/** Each search is planned for its own words: rare ones and common ones need other plans. */
async function applySettings(db: Kysely<Tables>): Promise<void> {
  const set = (name: string, value: string) => fn('set_config', [val(name), val(value), val(true)]);
  await db
    .selectNoFrom([
      set('statement_timeout', '500').as('timeout'),
      set('plan_cache_mode', 'force_custom_plan').as('plans'),
      set('pg_trgm.similarity_threshold', SIMILAR_FROM).as('similarity'),
    ])
    .execute();
}

const { and, eb, fn, not, val } = expressionBuilder<Tables, 'productSearch'>();

type Passes = { query: SearchQuery; filters: StoreFilters; most: number };

const inStore = (db: Kysely<Tables>, filters: StoreFilters) =>
  db
    .selectFrom('productSearch')
    .select('productId')
    .$if(filters.category !== null, (rows) => rows.where('category', '=', filters.category))
    .$if(filters.platform !== null, (rows) =>
      rows.where('platforms', '@>', val([filters.platform!])),
    )
    .$if(filters.isIncluded, (rows) => rows.where('isIncluded', '=', true))
    .$if(filters.isSealed, (rows) => rows.where('isSealed', '=', true));

/** What is found already does not wait for names that are only nearly the same. */
async function findSimilarInTime(db: Kysely<Tables>, search: Omit<Passes, 'most'>) {
  try {
    return await findSimilar(db, search);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return [];
  }
}

/** Names that are nearly the same, the most similar first. */
const findSimilar = (db: Kysely<Tables>, { query, filters }: Omit<Passes, 'most'>) =>
  inStore(db, filters)
    .where(({ eb }) => eb('name', '%', query.name).$castTo<boolean>())
    .orderBy(({ fn }) => fn('similarity', ['name', val(query.name)]), 'desc')
    .orderBy('popularity', 'desc')
    .orderBy('productId')
    .limit(FEW)
    .execute();

/** PostgreSQL appends pass by pass and stops at the limit: a later pass runs when it is needed. */
function findInPasses(db: Kysely<Tables>, { query, filters, most }: Passes) {
  const inPass = (condition: Expression<SqlBool>) =>
    inStore(db, filters)
      .where(condition)
      .orderBy('popularity', 'desc')
      .orderBy('listedAt', 'desc')
      .orderBy('productId')
      .limit(most);
  if (query.text === '') return inPass(val(true)).execute();
  // An equality would be looked up in the index of similar names too, which is slower.
  const isName = eb('name', '=', anyOf([query.name]));
  if (query.words.length === 0) return inPass(isName).execute();
  const inName = eb('nameWords', '@@', toPattern(query.words));
  const inLine = eb('lineWords', '@@', toPattern(query.words));
  const anywhere = eb('words', '@@', toStemmedPattern(query.words));
  const asTable = (condition: Expression<SqlBool>) =>
    db.selectFrom(inPass(condition).as('pass')).select('productId');
  return asTable(isName)
    .unionAll(asTable(and([inName, not(isName)])))
    .unionAll(asTable(and([inLine, not(inName), not(isName)])))
    .unionAll(asTable(and([anywhere, not(inLine), not(isName)])))
    .limit(most)
    .execute();
}

/** All words; the last one may go on. */
const toPattern = (words: readonly string[]) =>
  val(words.map((word, index) => toLexeme(word, index === words.length - 1)).join(' & '));

const toLexeme = (word: string, isPrefix: boolean) => `'${word}'${isPrefix ? ':*' : ''}`;

/** All words, each by itself or by its English stem. */
const toStemmedPattern = (words: readonly string[]) =>
  words
    .map((word, index) =>
      fn<string>('tsquery_or', [
        fn('plainto_tsquery', [val('english'), val(word)]),
        val(toLexeme(word, index === words.length - 1)),
      ]),
    )
    .reduce((all, word) => fn<string>('tsquery_and', [all, word]));

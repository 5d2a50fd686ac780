import test from 'ava';
import fc from 'fast-check';
import { indexProducts } from '../../../domain/catalog/search/index-products.repository.ts';
import {
  searchStore,
  SEARCH_PAGE,
  type StoreFilters,
} from '../../../domain/catalog/search/search-store.repository.ts';
import {
  readSearchQuery,
  toComparedName,
  toWords,
} from '../../../domain/catalog/search/search-words.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

// Their English stems are the words themselves.
const WORDS = ['alpha', 'alto', 'beta', 'delta', 'gamma', 'kappa', 'omega', 'sigma'] as const;
const PRODUCTS = 150;

type Row = {
  id: string;
  name: string;
  tagline: string;
  description: string;
  category: 'games' | 'news';
  isIncluded: boolean;
  popularity: number;
};

const rows: Row[] = [];

/** A reproducible choice of words. */
function pick(seed: number, count: number): string {
  return Array.from({ length: count }, (_, n) => WORDS[(seed * 7 + n * n * 3 + seed * n) % 8]).join(
    ' ',
  );
}

test.before(async () => {
  for (let n = 0; n < PRODUCTS; n += 1) {
    const isIncluded = n % 3 === 0;
    const { productId: id } = await addProduct(testDatabase, { isIncluded });
    const row: Row = {
      id,
      name: pick(n, 1 + (n % 2)),
      tagline: pick(n + 3, n % 3),
      description: pick(n + 5, n % 5),
      category: n % 2 === 0 ? 'games' : 'news',
      isIncluded,
      popularity: n % 4,
    };
    await testDatabase.query('update product set name = $2, tagline = $3 where id = $1', [
      id,
      row.name,
      row.tagline,
    ]);
    await testDatabase.query(
      `insert into listing (product_id, description, description_html, category) values ($1, $2, $2, $3)`,
      [id, row.description, row.category],
    );
    rows.push(row);
  }
  await indexProducts(
    database.em(),
    rows.map(({ id }) => id),
  );
  for (const { id, popularity } of rows) {
    await testDatabase.query(
      `update product_search set popularity = $2, listed_at = '2026-01-01' where product_id = $1`,
      [id, popularity],
    );
  }
});

const isIn = (words: readonly string[], text: string) => {
  const known = toWords(text);
  return words.every((word, index) =>
    known.some((each) => (index === words.length - 1 ? each.startsWith(word) : each === word)),
  );
};

/** What the order of results says, of every product one by one. */
function searchNaively(typed: string, filters: StoreFilters): string[] {
  const { words, name } = readSearchQuery(typed);
  const rank = (row: Row) => {
    if (words.length === 0) return 0;
    if (toComparedName(row.name) === name) return 0;
    if (isIn(words, row.name)) return 1;
    if (isIn(words, `${row.name} ${row.tagline}`)) return 2;
    return isIn(words, `${row.name} ${row.tagline} P ${row.description}`) ? 3 : 4;
  };
  return rows
    .filter(({ category }) => filters.category === null || category === filters.category)
    .filter(({ isIncluded }) => isIncluded || !filters.isIncluded)
    .map((row) => ({ ...row, rank: rank(row) }))
    .filter((row) => row.rank < 4)
    .toSorted((a, b) => a.rank - b.rank || b.popularity - a.popularity || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

const anyQuery = fc
  .tuple(fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }), fc.nat({ max: 5 }))
  .map(([words, cut]) => {
    const text = words.join(' ');
    return cut === 0 ? text : text.slice(0, Math.max(text.length - cut + 1, 0));
  });

const anyFilters = fc.record({
  category: fc.constantFrom(null, 'games' as const, 'news' as const),
  platform: fc.constant(null),
  isIncluded: fc.boolean(),
  isSealed: fc.constant(false),
});

test.serial('a page of results is that of a search that looks at every product', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      anyQuery,
      anyFilters,
      fc.integer({ min: 1, max: 4 }),
      async (typed, filters, page) => {
        const query = readSearchQuery(typed);
        const found = await searchStore(database.em(), { query, filters, page });
        const all = searchNaively(typed, filters);
        const start = (page - 1) * SEARCH_PAGE;
        t.deepEqual(found.ids, all.slice(start, start + SEARCH_PAGE), typed);
        t.is(found.hasMore, all.length > start + SEARCH_PAGE, typed);
      },
    ),
    { numRuns: 200 },
  );
});

const anyName = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });

test.serial(
  'a name that is typed in full is found on the first page, before all others',
  async (t) => {
    const { productId } = await addProduct(testDatabase);
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        const typed = name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').trim();
        fc.pre(typed !== '');
        await testDatabase.query('update product set name = $2 where id = $1', [productId, typed]);
        await indexProducts(database.em(), [productId]);
        const query = readSearchQuery(typed);
        const filters = { category: null, platform: null, isIncluded: false, isSealed: false };
        const { ids } = await searchStore(database.em(), { query, filters, page: 1 });
        t.is(ids[0], productId, JSON.stringify(typed));
      }),
      { numRuns: 100 },
    );
    await testDatabase.query(`update product set state = 'unlisted' where id = $1`, [productId]);
    await indexProducts(database.em(), [productId]);
  },
);

const STORE: Record<string, { tagline: string; description: string; tags: string }> = {
  'Paper Trail': {
    tagline: 'Every receipt you ever lost, found.',
    description: 'Photograph a receipt once and search it by shop, sum or day.',
    tags: '{receipts,expenses}',
  },
  'Tide Table': {
    tagline: 'The sea, one week ahead.',
    description: 'High and low water for harbours, with the phases of the moon.',
    tags: '{sailing,weather}',
  },
  'Query Bench': {
    tagline: 'A database client for people who think in tables.',
    description: 'Writes SQL with you, explains plans and exports results.',
    tags: '{sql,postgres}',
  },
  'Quiet Hours': {
    tagline: 'Holds every notification until the work is done.',
    description: 'Blocks distracting sites while a timer runs.',
    tags: '{focus,pomodoro}',
  },
  'Kitchen Weights': {
    tagline: 'Recipes that rescale to what is in the cupboard.',
    description: 'Converts cups to grams and shopping lists to meals.',
    tags: '{cooking,recipes}',
  },
  'Café Crème': {
    tagline: 'Loyalty cards for small coffee houses.',
    description: 'Stamps, gifts and opening times without an app to install.',
    tags: '{coffee,loyalty}',
  },
  'Ridge & Vale': {
    tagline: 'Walking maps that work without a signal.',
    description: 'Contours, huts and springs of the mountains, offline.',
    tags: '{hiking,maps}',
  },
  'Plain Clause': {
    tagline: 'Contracts, marked up in plain words.',
    description: 'Explains what a clause obliges you to, and what is missing.',
    tags: '{legal,contracts}',
  },
};

/** What people type, and the product that they mean. */
const MEANT: Record<string, string[]> = {
  'Paper Trail': [
    'paper trail',
    'paper',
    'PAPER-TRAIL',
    'trail paper',
    'papr trial',
    'receipt',
    'expenses',
    'lost receipts',
  ],
  'Tide Table': ['tide table', 'tides', 'tide', 'sea ahead', 'sailing', 'moon', 'tid tabel'],
  'Query Bench': ['query bench', 'sql', 'postgres', 'database client', 'quer', 'explain plans'],
  'Quiet Hours': ['quiet hours', 'quite hours', 'focus', 'notifications', 'pomodoro timer'],
  'Kitchen Weights': ['kitchen weights', 'recipe', 'cooking', 'cups to grams', 'kichen weights'],
  'Café Crème': ['cafe creme', 'café crème', 'CAFÉ', 'coffee', 'loyalty cards', 'cafe crem'],
  'Ridge & Vale': ['ridge vale', 'ridge & vale', 'hiking maps', 'walking map', 'mountain huts'],
  'Plain Clause': ['plain clause', 'contract', 'legal', 'plain claus', 'clauses'],
};

test.serial('what people type finds first what they mean', async (t) => {
  const ids = new Map<string, string>();
  for (const [name, { tagline, description, tags }] of Object.entries(STORE)) {
    const { productId } = await addProduct(testDatabase);
    ids.set(name, productId);
    const text = [productId, name, tagline];
    await testDatabase.query('update product set name = $2, tagline = $3 where id = $1', text);
    await testDatabase.query(
      `insert into listing (product_id, description, description_html, tags) values ($1, $2, $2, $3)`,
      [productId, description, tags],
    );
  }
  await indexProducts(database.em(), [...ids.values()]);
  const filters = { category: null, platform: null, isIncluded: false, isSealed: false };
  let typed = 0;
  for (const [name, texts] of Object.entries(MEANT)) {
    for (const text of texts) {
      const query = readSearchQuery(text);
      const { ids: found, similarIds } = await searchStore(database.em(), {
        query,
        filters,
        page: 1,
      });
      t.is([...found, ...similarIds][0], ids.get(name), text);
      typed += 1;
    }
  }
  t.true(typed >= 40, String(typed));
});

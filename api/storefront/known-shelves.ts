// What the process knows of the store's shelves: their products change slowly, and their order too.
import type { Category } from '../../domain/catalog/listing-words.ts';
import {
  listPopularIn,
  readShelves,
  type Shelf,
} from '../../domain/catalog/search/shelves.repository.ts';
import type { Database } from '../../platform/database/database.ts';

export type KnownShelves = {
  /** The shelves of the first page. */
  read(): Promise<Shelf[]>;
  /** The ids of a category's most popular products. */
  readCategory(category: Category): Promise<string[]>;
};

/** Visitors see a new order of products so much later at the latest. */
export const SHELVES_KEPT_MS = 10_000;

/** A row of four beside a product that may be one of them. */
const OF_CATEGORY = 5;

/** Reads each list once in ten seconds, whatever the number of visitors. */
export function createKnownShelves(
  database: Database,
  keptMs = SHELVES_KEPT_MS,
  now = () => performance.now(),
): KnownShelves {
  const keep = <Key, Value>(read: (key: Key) => Promise<Value>) => {
    const known = new Map<Key, { value: Promise<Value>; until: number }>();
    return (key: Key) => {
      const last = known.get(key);
      if (last && now() < last.until) return last.value;
      const next = { value: read(key), until: now() + keptMs };
      known.set(key, next);
      next.value.catch(() => known.get(key) === next && known.delete(key));
      return next.value;
    };
  };
  const shelves = keep(() => readShelves(database.em()));
  return {
    read: () => shelves(null),
    readCategory: keep((category) => listPopularIn(database.em(), { category, most: OF_CATEGORY })),
  };
}

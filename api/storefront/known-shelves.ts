// What the process knows of the store's shelves: their products change slowly, and their order too.
import { readShelves, type Shelf } from '../../domain/catalog/search/shelves.repository.ts';
import type { Database } from '../../platform/database/database.ts';

export type KnownShelves = { read(): Promise<Shelf[]> };

/** Visitors see a new order of products so much later at the latest. */
export const SHELVES_KEPT_MS = 10_000;

/** Reads the shelves once in ten seconds, whatever the number of visitors. */
export function createKnownShelves(
  database: Database,
  keptMs = SHELVES_KEPT_MS,
  now = () => performance.now(),
): KnownShelves {
  let known: { shelves: Promise<Shelf[]>; until: number } | null = null;
  return {
    read() {
      if (known && now() < known.until) return known.shelves;
      const shelves = readShelves(database.em());
      const read = { shelves, until: now() + keptMs };
      known = read;
      shelves.catch(() => known === read && (known = null));
      return shelves;
    },
  };
}

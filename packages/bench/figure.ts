import type { Stage } from './stage.ts';
import { median } from './measure/statistics.ts';

export type Figure = {
  id: string;
  what: string;
  /** Is null for references, which other figures are measured by. */
  bounds: Bounds | null;
  /** Takes long: runs when it is named, and only then. */
  isByNameOnly?: boolean;
  /** One value per round. */
  measure(stage: Stage): Promise<number[]>;
};

type Bounds = {
  must: number;
  stretch: number | null;
  better: 'higher' | 'lower';
};

export type Result = {
  id: string;
  what: string;
  value: number;
  range: [number, number];
  must: number | null;
  stretch: number | null;
  ok: boolean;
};

/** The median of the rounds against what must be reached. */
export function judge(
  { id, what, bounds }: Pick<Figure, 'id' | 'what' | 'bounds'>,
  rounds: readonly number[],
): Result {
  const value = median(rounds);
  const range: Result['range'] = [Math.min(...rounds), Math.max(...rounds)];
  const { must = null, stretch = null } = bounds ?? {};
  return { id, what, value, range, must, stretch, ok: isReached(value, bounds) };
}

function isReached(value: number, bounds: Bounds | null): boolean {
  if (!bounds) return true;
  return bounds.better === 'higher' ? value >= bounds.must : value <= bounds.must;
}

/**
 * Chooses the named figures in the order of the list; without names all that do not take long. P19
 * names all parts of P19, which have a letter more.
 */
export function chooseFigures(all: readonly Figure[], names: readonly string[]): Figure[] {
  const wanted = names.map((name) => name.toUpperCase());
  const unknown = wanted.filter((name) => !all.some(({ id }) => isNamed(id, name)));
  if (unknown.length > 0) {
    const known = all.map(({ id }) => id).join(', ');
    throw new RangeError(`There is no figure ${unknown.join(', ')}; there are ${known}.`);
  }
  if (wanted.length === 0) return all.filter(({ isByNameOnly = false }) => !isByNameOnly);
  return all.filter(({ id }) => wanted.some((name) => isNamed(id, name)));
}

function isNamed(id: string, name: string): boolean {
  return id === name || id.replace(/[A-Z]$/, '') === name;
}

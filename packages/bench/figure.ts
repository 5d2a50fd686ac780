import type { Stage } from './stage.ts';
import { median } from './measure/statistics.ts';

export type Figure = {
  id: string;
  what: string;
  /** Is null for references, which other figures are measured by. */
  bounds: Bounds | null;
};

/** The values of figures in one round, by their ids; NaN where the system does not tell. */
type Values = Record<string, number>;

/** One or more figures that come from the same rounds. */
export type Measurement = {
  figures: readonly Figure[];
  /** Takes long: runs when one of its figures is named, and only then. */
  isByNameOnly?: boolean;
  measure(stage: Stage): Promise<Values[]>;
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
  rounds: readonly number[];
  must: number | null;
  stretch: number | null;
  ok: boolean;
};

/** The median of the rounds against what must be reached. */
export function judge({ id, what, bounds }: Figure, rounds: readonly number[]): Result {
  const value = median(rounds);
  const range: Result['range'] = [Math.min(...rounds), Math.max(...rounds)];
  const { must = null, stretch = null } = bounds ?? {};
  return { id, what, value, range, rounds, must, stretch, ok: isReached(value, bounds) };
}

function isReached(value: number, bounds: Bounds | null): boolean {
  if (!bounds) return true;
  return bounds.better === 'higher' ? value >= bounds.must : value <= bounds.must;
}

/**
 * Chooses the named figures in the order of the list; without names all that do not take long. P19
 * names all parts of P19, which have a letter more.
 */
export function chooseFigures(
  all: readonly Measurement[],
  names: readonly string[],
): Measurement[] {
  if (names.length === 0) return all.filter(({ isByNameOnly = false }) => !isByNameOnly);
  const wanted = names.map((name) => name.toUpperCase());
  const known = all.flatMap(({ figures }) => figures.map(({ id }) => id));
  const unknown = wanted.filter((name) => !known.some((id) => isNamed(id, name)));
  if (unknown.length > 0) {
    throw new RangeError(
      `There is no figure ${unknown.join(', ')}; there are ${known.join(', ')}.`,
    );
  }
  return all
    .map((measurement) => ({
      ...measurement,
      figures: measurement.figures.filter(({ id }) => wanted.some((name) => isNamed(id, name))),
    }))
    .filter(({ figures }) => figures.length > 0);
}

function isNamed(id: string, name: string): boolean {
  return id === name || id.replace(/[A-Z]$/, '') === name;
}

// Mutants that change nothing that can be seen, each with the reason.
import type { Mutant } from './mutate.ts';

type Equivalent = { file: string; what: string; why: string };

const ENTITLEMENT = 'workflows/entitlements/entitlement-lifecycle.ts';

const EQUIVALENT: Equivalent[] = ['only left: remainingMs ?? 0', '0 becomes more'].map((what) => ({
  file: ENTITLEMENT,
  what,
  why: 'without an instant ahead none is shown, and a waiting message ends the wait at once',
}));

export function isEquivalent({ file, what }: Mutant): boolean {
  return EQUIVALENT.some((each) => each.file === file && each.what === what);
}

/** Those of a file that no mutant is any more. */
export function findStale(file: string, mutants: readonly Mutant[]): string[] {
  return EQUIVALENT.filter(
    (each) => each.file === file && !mutants.some(({ what }) => what === each.what),
  ).map(({ what }) => `${file}: no mutant is "${what}" any more`);
}

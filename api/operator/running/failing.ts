// What is failing on the whole platform.
import { countOverdue } from '../../../domain/alerts/overdue.query.ts';
import { listProductNames } from '../../../domain/catalog/product-search.repository.ts';
import { type Issue, failingIssues } from '../../../domain/catalog/diagnose.ts';
import { readFailures } from '../../console/requests/find-issues.ts';
import { countPayoutsInTrouble } from '../../../domain/pool/operator-views/payouts.repository.ts';
import {
  listPeriodProblems,
  type PeriodView,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { addUp } from '../../html/numbers.ts';

const MOST_PRODUCTS = 10;

export type Failing = {
  /** The products with most failures first. */
  products: { slug: string; name: string; iconHash: string | null; issues: Issue[] }[];
  otherProducts: number;
  overdue: { kind: string; overdue: number }[];
  /** Months of the pool that do not go on, and payouts that do not arrive. */
  pool: { periods: PeriodView[]; payouts: number };
};

export async function readFailing(em: EntityManager): Promise<Failing> {
  const failures = [...(await readFailures(em, null))].map(([productId, failed]) => ({
    productId,
    issues: failingIssues(failed),
  }));
  const worst = failures.toSorted((one, other) => weigh(other.issues) - weigh(one.issues));
  const shown = worst.slice(0, MOST_PRODUCTS);
  const names = await listProductNames(
    em,
    shown.map(({ productId }) => productId),
  );
  return {
    products: shown.flatMap(({ productId, issues }) => {
      const name = names.get(productId);
      return name === undefined ? [] : [{ ...name, issues }];
    }),
    otherProducts: worst.length - shown.length,
    overdue: (await countOverdue(em)).filter(({ overdue }) => overdue > 0),
    pool: {
      periods: await listPeriodProblems(em),
      payouts: await countPayoutsInTrouble(em),
    },
  };
}

function weigh(issues: readonly Issue[]): number {
  return addUp(issues, ({ about }) => Number(about) || 1);
}

// What is failing on the whole platform, at the top of the operator's overview.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { countOverdue } from '../../../domain/alerts/overdue.query.ts';
import { listProductNames } from '../../../domain/catalog/product-search.repository.ts';
import { type Issue, failingIssues } from '../../../domain/catalog/diagnose.ts';
import { issueRow } from '../../console/requests/issue-row.ts';
import { readFailures } from '../../console/requests/find-issues.ts';
import { productPath } from '../../console/console-frame.ts';
import { countPayoutsInTrouble } from '../../../domain/pool/operator-views/payouts.repository.ts';
import {
  listPeriodProblems,
  type PeriodView,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { ALERTS } from '../operator.page.ts';
import { periodName, periodPath, POOL_PAYOUTS } from '../money/pool.page.ts';

const MOST_PRODUCTS = 10;

export type Failing = {
  /** The products with most failures first. */
  products: { slug: string; name: string; issues: Issue[] }[];
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
  return issues.reduce((sum, { about }) => sum + (Number(about) || 1), 0);
}

/** What the overdue workflows of each kind do. */
const OVERDUE_WORDS: Record<string, string> = {
  delivery: 'Webhook retries',
  delivery_cohort: 'Webhook retries of busy endpoints',
  access: 'Access that ends',
  recovery: 'Recoveries of deliveries',
  mail: 'Mails',
  purchase: 'Purchases',
  subscription: 'Subscriptions',
  membership: 'Memberships',
  membership_change: 'Changes of Member',
  purchase_event: 'Payment events of purchases',
  subscription_event: 'Payment events of subscriptions',
  membership_event: 'Payment events of memberships',
};

export function failingNow(failing: Failing, alerts: number): HtmlSafeString | '' {
  const { products, otherProducts, overdue, pool } = failing;
  const troubles = products.length + overdue.length + pool.periods.length + pool.payouts;
  if (troubles + alerts === 0) return '';
  return html`<section data-failing>
    <h2>Failing now</h2>
    <ul class="issues">
      ${
        alerts === 0
          ? ''
          : html`<li data-count="open">
              <strong class="figure">${alerts}</strong>
              <a href="${ALERTS}">${alerts === 1 ? 'alert is' : 'alerts are'} open</a>
            </li>`
      }
      ${overdue.map(
        ({ kind, overdue: count }) =>
          html`<li data-overdue="${kind}">
            <strong>${OVERDUE_WORDS[kind] ?? sentenceCase(kind)}</strong>: ${count}
            ${count === 1 ? 'workflow is' : 'workflows are'} overdue by more than ten minutes.
          </li>`,
      )}
      ${poolTrouble(pool)}
    </ul>
    ${products.map(
      ({ slug, name, issues }) =>
        html`<h3><a href="${productPath(slug)}">${name}</a></h3>
          <ul class="issues">
            ${issues.map((issue) => issueRow({ slug }, issue))}
          </ul>`,
    )}
    ${otherProducts === 0 ? '' : html`<p>${otherProducts} more products have failing deliveries.</p>`}
  </section>`;
}

function poolTrouble({ periods, payouts }: Failing['pool']): HtmlSafeString {
  const [payoutWord, are] = payouts === 1 ? ['payout', 'is'] : ['payouts', 'are'];
  return html`${periods.map(
    (period) =>
      html`<li data-pool-period="${period.id}">
        <a href="${periodPath(period.id)}">Pool of ${periodName(period)}</a>: ${period.problem}
      </li>`,
  )}
  ${
    payouts === 0
      ? ''
      : html`<li data-count="pool-payouts">
          <strong class="figure">${payouts}</strong>
          <a href="${POOL_PAYOUTS}">${payoutWord} of the creator pool ${are} in trouble</a>
        </li>`
  }`;
}

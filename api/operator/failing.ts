// What is failing on the whole platform, at the top of the operator's overview.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { countOverdue } from '../../domain/alerts/overdue.query.ts';
import { listProductNames } from '../../domain/catalog/product-search.repository.ts';
import { type Finding, troublesOf } from '../../domain/catalog/diagnose.ts';
import { findingRow } from '../console/diagnostics/finding-row.ts';
import { readTroubles } from '../console/diagnostics/find-issues.ts';
import { productPath } from '../console/console-frame.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { sentenceCase } from '../html/words.ts';
import { ALERTS } from './operator.page.ts';

const MOST_PRODUCTS = 10;

export type Failing = {
  /** The products with most in trouble first. */
  products: { slug: string; name: string; findings: Finding[] }[];
  otherProducts: number;
  overdue: { kind: string; overdue: number }[];
};

export async function readFailing(em: EntityManager): Promise<Failing> {
  const troubles = [...(await readTroubles(em, null))].map(([productId, trouble]) => ({
    productId,
    findings: troublesOf(trouble),
  }));
  const worst = troubles.toSorted((one, other) => weigh(other.findings) - weigh(one.findings));
  const shown = worst.slice(0, MOST_PRODUCTS);
  const names = await listProductNames(
    em,
    shown.map(({ productId }) => productId),
  );
  return {
    products: shown.flatMap(({ productId, findings }) => {
      const name = names.get(productId);
      return name === undefined ? [] : [{ ...name, findings }];
    }),
    otherProducts: worst.length - shown.length,
    overdue: (await countOverdue(em)).filter(({ overdue }) => overdue > 0),
  };
}

function weigh(findings: readonly Finding[]): number {
  return findings.reduce((sum, { about }) => sum + Number(about), 0);
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
  const { products, otherProducts, overdue } = failing;
  if (products.length === 0 && overdue.length === 0 && alerts === 0) return '';
  return html`<section data-failing>
    <h2>Failing now</h2>
    <ul class="findings">
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
    </ul>
    ${products.map(
      ({ slug, name, findings }) =>
        html`<h3><a href="${productPath(slug)}">${name}</a></h3>
          <ul class="findings">
            ${findings.map((finding) => findingRow({ slug }, finding))}
          </ul>`,
    )}
    ${otherProducts === 0 ? '' : html`<p>${otherProducts} more products have failing deliveries.</p>`}
  </section>`;
}

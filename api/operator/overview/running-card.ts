// What runs, and which products fail.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Waiting } from '../../../domain/alerts/waiting.repository.ts';
import type { Readiness } from '../../health/health.routes.ts';
import { card } from '../../html/parts/card.ts';
import { instant } from '../../html/dates.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { writeCount } from '../../html/numbers.ts';
import { needs } from '../../html/parts/needs.ts';
import { toNeed } from '../../console/requests/issue-row.ts';
import { WORKFLOWS } from '../operator.page.ts';
import { productCell } from '../product-cell.ts';
import type { Failing } from '../running/failing.ts';

type Service = { name: string; fact: string; word: string; tone: 'ok' | 'warn' | 'bad' };

/** What the overdue workflows of each kind do. */
const OVERDUE_WORDS: Record<string, string> = {
  delivery: 'Webhook retries',
  delivery_cohort: 'Webhook retries of busy endpoints',
  access: 'Access that ends',
  recovery: 'Recoveries of deliveries',
  listing_import: 'Imports of listings',
  mail: 'Mails',
  purchase: 'Purchases',
  subscription: 'Subscriptions',
  membership: 'Memberships',
  membership_change: 'Changes of Member',
  pool_period: 'Months of the pool',
  pool_payout: 'Payouts of the pool',
  purchase_event: 'Payment events of purchases',
  subscription_event: 'Payment events of subscriptions',
  membership_event: 'Payment events of memberships',
};

export type RunningProps = { readiness: Readiness; failing: Failing; waiting: Waiting; at: Date };

export function running(props: RunningProps): HtmlSafeString {
  const services = servicesOf(props);
  const down = services.filter(({ tone }) => tone !== 'ok').length;
  const isWell = down === 0;
  return card({
    title: 'Is it running',
    actions: pill({
      word: isWell ? `All ${services.length} up` : `${down} of ${services.length} in trouble`,
      tone: isWell ? 'ok' : 'bad',
      isLive: true,
    }),
    rows: html`<ul class="rows services">
      ${services.map(
        ({ name, fact, word, tone }) =>
          html`<li>
            <span>${name}</span><span>${fact}</span>${pill({ word, tone, isLive: true })}
          </li>`,
      )}
    </ul>`,
    foot: html`<span>Looked at ${instant(props.at)}</span> <a href="${WORKFLOWS}">Workflows</a>`,
  });
}

function servicesOf({ readiness, failing, waiting }: RunningProps): Service[] {
  const { database, temporal } = readiness;
  const isUp = (ok: boolean) =>
    ok ? ({ word: 'Up', tone: 'ok' } as const) : ({ word: 'Down', tone: 'bad' } as const);
  const isClear = (count: number) =>
    count === 0 ? isUp(true) : ({ word: 'Failing', tone: 'bad' } as const);
  const { overdue } = failing;
  return [
    { name: 'Database', fact: `${Math.ceil(database.latency_ms)} ms`, ...isUp(database.ok) },
    { name: 'Temporal', fact: '', ...isUp(temporal.ok) },
    ...(overdue.length === 0 ? [{ name: 'Workflows', fact: '0 overdue', ...isUp(true) }] : []),
    ...overdue.map(({ kind, overdue: count }) => ({
      name: OVERDUE_WORDS[kind] ?? sentenceCase(kind),
      fact: `${writeCount(count)} overdue`,
      word: 'Late',
      tone: 'warn' as const,
    })),
    {
      name: 'Payment events',
      fact: `${waiting.events.count} unprocessed`,
      ...isClear(waiting.events.count),
    },
    {
      name: 'Background jobs',
      fact: `${waiting.jobs.count} failed`,
      ...isClear(waiting.jobs.count),
    },
  ];
}

/** The products with most failures, each with what fails. */
export function failingProducts({ products, otherProducts }: Failing): HtmlSafeString | '' {
  if (products.length === 0) return '';
  return html`<div id="failing" data-failing>
    ${card({
      title: 'Failing products',
      facts: 'Those with most failures first',
      rows: html`${products.map(
        ({ issues, ...product }) =>
          html`<h3>${productCell(product)}</h3>
            ${needs(issues.map((issue) => toNeed(product, issue)))}`,
      )}`,
      ...(otherProducts === 0
        ? {}
        : { foot: `${writeCount(otherProducts)} more products have failing deliveries.` }),
    })}
  </div>`;
}

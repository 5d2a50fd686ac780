// What waits for an operator: the failing thing first.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Waiting } from '../../../domain/alerts/waiting.repository.ts';
import { icon, type IconName } from '../../html/icon.ts';
import { instant } from '../../html/layout.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { ALERTS, BUILDERS, EVENTS, MESSAGES, POOL, POOL_PAYOUTS, SEALS } from '../operator.page.ts';
import { periodName, periodPath } from '../money/pool.page.ts';
import type { Failing } from '../running/failing.ts';

type Need = {
  icon: IconName;
  isTrouble?: boolean;
  /** How many wait, in words. */
  sentence: string;
  more: HtmlSafeString | string;
  path: string;
  button: string;
  mark?: HtmlSafeString;
};

export type NeedsProps = {
  waiting: Waiting;
  failing: Failing;
  /** Owners whose first payout of the pool nobody has confirmed. */
  firstPayouts: number;
};

export function needs(props: NeedsProps): HtmlSafeString {
  const all = [...troubles(props), ...queues(props)];
  return card({
    title: 'What needs you',
    ...(all.length === 0
      ? { body: html`<p class="muted">Nothing needs you.</p>` }
      : {
          actions: html`<span class="count warn">${all.length}</span>`,
          rows: html`<ul class="rows queue">
            ${all.map(row)}
          </ul>`,
        }),
  });
}

function row({ icon: name, isTrouble, sentence, more, path, button: text, mark = html`` }: Need) {
  return html`<li ${mark}>
    <span class="${isTrouble ? 'bad' : 'warn'}">${icon(name, 18)}</span>
    <p><strong>${sentence}</strong><small>${more}</small></p>
    ${button({ text, size: 'small', href: path, label: `${text}: ${sentence}` })}
  </li>`;
}

function troubles({ waiting: { alerts, events, jobs }, failing }: NeedsProps): Need[] {
  const { periods, payouts } = failing.pool;
  return [
    ...some(alerts, {
      icon: 'triangle-alert',
      words: ['alert is open', 'alerts are open'],
      path: ALERTS,
      button: 'Open alerts',
    }),
    ...periods.map((period) => ({
      icon: 'triangle-alert' as const,
      isTrouble: true,
      sentence: `The pool of ${periodName(period)} does not go on`,
      more: period.problem ?? '',
      path: periodPath(period.id),
      button: 'Open month',
      mark: html`data-pool-period="${period.id}"`,
    })),
    ...(payouts === 0
      ? []
      : [
          {
            icon: 'triangle-alert' as const,
            isTrouble: true,
            sentence: `${payouts} ${payouts === 1 ? 'payout of the creator pool is' : 'payouts of the creator pool are'} in trouble`,
            more: 'Tried again, failed, or with an outcome that nobody knows.',
            path: POOL_PAYOUTS,
            button: 'See payouts',
            mark: html`data-count="pool-payouts"`,
          },
        ]),
    ...some(events, {
      icon: 'inbox',
      words: ['payment event is not processed', 'payment events are not processed'],
      path: EVENTS,
      button: 'See events',
    }),
    ...some(jobs, {
      icon: 'ban',
      words: ['background job failed', 'background jobs failed'],
      path: MESSAGES,
      button: 'See jobs',
    }),
  ];
}

function queues({ waiting: { requests, appeals, months }, firstPayouts }: NeedsProps): Need[] {
  const payouts = { count: firstPayouts, since: null };
  const found = [
    ...some(months, {
      icon: 'coins',
      words: ['month of the pool waits for approval', 'months of the pool wait for approval'],
      path: POOL,
      button: 'Review',
    }),
    ...some(payouts, {
      icon: 'landmark',
      words: ['first payout waits for your yes', 'first payouts wait for your yes'],
      path: `${POOL_PAYOUTS}#first`,
      button: 'Review',
    }),
    ...some(requests, {
      icon: 'badge-check',
      words: ['maker waits for verification', 'makers wait for verification'],
      path: `${BUILDERS}?show=waiting`,
      button: 'Review',
    }),
    ...some(appeals, {
      icon: 'star',
      words: ['appeal about a quality seal waits', 'appeals about quality seals wait'],
      path: SEALS,
      button: 'Review',
    }),
  ];
  return found.map((need) => ({ ...need, isTrouble: false }));
}

type Queue = { count: number; since: Date | null };

type Words = Pick<Need, 'icon' | 'path' | 'button'> & { words: readonly [string, string] };

function some({ count, since }: Queue, { words: [one, many], ...need }: Words): Need[] {
  if (count === 0) return [];
  const sentence = `${count} ${count === 1 ? one : many}`;
  const words = count === 1 ? 'Since' : 'The oldest since';
  const more =
    since === null ? 'Look at the payout account first.' : html`${words} ${instant(since)}`;
  return [{ ...need, sentence, more, isTrouble: true }];
}

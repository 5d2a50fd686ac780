// What waits for an operator: the failing thing first.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Waiting } from '../../../domain/alerts/waiting.repository.ts';
import type { IconName } from '../../html/icon.ts';
import { writePlural } from '../../html/numbers.ts';
import { instant } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import { needs, type Need } from '../../html/parts/needs.ts';
import { ALERTS, BUILDERS, EVENTS, MESSAGES, POOL, POOL_PAYOUTS, SEALS } from '../operator.page.ts';
import { periodName, periodPath } from '../money/pool.page.ts';
import type { Failing } from '../running/failing.ts';

export type NeedsProps = {
  waiting: Waiting;
  failing: Failing;
  /** Owners whose first payout of the pool nobody has confirmed. */
  firstPayouts: number;
};

export function needsCard(props: NeedsProps): HtmlSafeString {
  const all = [...troubles(props), ...queues(props)];
  return card({
    title: 'What needs you',
    ...(all.length > 0 && { actions: html`<span class="count warn">${all.length}</span>` }),
    rows: needs(all.length === 0 ? [{ tone: 'ok', title: 'Nothing needs you' }] : all),
  });
}

function toNeed(
  tone: 'bad' | 'warn',
  { icon, title, line, path, label, ...more }: Line & { mark?: HtmlSafeString },
): Need {
  return { tone, icon, title, line, action: { path, label, name: `${label}: ${title}` }, ...more };
}

type Line = {
  icon: IconName;
  /** How many wait, in words. */
  title: string;
  line: HtmlSafeString | string;
  path: string;
  label: string;
};

function troubles({ waiting: { alerts, events, jobs }, failing }: NeedsProps): Need[] {
  const { periods, payouts } = failing.pool;
  return [
    ...some('bad', alerts, {
      icon: 'triangle-alert',
      words: ['alert is open', 'alerts are open'],
      path: ALERTS,
      label: 'Open alerts',
    }),
    ...periods.map((period) =>
      toNeed('bad', {
        icon: 'triangle-alert',
        title: `The pool of ${periodName(period)} does not go on`,
        line: period.problem ?? '',
        path: periodPath(period.id),
        label: 'Open month',
        mark: html`data-pool-period="${period.id}"`,
      }),
    ),
    ...(payouts === 0
      ? []
      : [
          toNeed('bad', {
            icon: 'triangle-alert',
            title: writePlural(
              payouts,
              'payout of the creator pool is in trouble',
              'payouts of the creator pool are in trouble',
            ),
            line: 'Tried again, failed, or with an outcome that nobody knows.',
            path: POOL_PAYOUTS,
            label: 'See payouts',
            mark: html`data-count="pool-payouts"`,
          }),
        ]),
    ...some('bad', events, {
      icon: 'inbox',
      words: ['payment event is not processed', 'payment events are not processed'],
      path: EVENTS,
      label: 'See events',
    }),
    ...some('bad', jobs, {
      icon: 'ban',
      words: ['background job failed', 'background jobs failed'],
      path: MESSAGES,
      label: 'See jobs',
    }),
  ];
}

function queues({ waiting: { requests, appeals, months }, firstPayouts }: NeedsProps): Need[] {
  const payouts = { count: firstPayouts, since: null };
  return [
    ...some('warn', months, {
      icon: 'coins',
      words: ['month of the pool waits for approval', 'months of the pool wait for approval'],
      path: POOL,
      label: 'Review',
    }),
    ...some('warn', payouts, {
      icon: 'landmark',
      words: ['first payout waits for your yes', 'first payouts wait for your yes'],
      path: `${POOL_PAYOUTS}#first`,
      label: 'Review',
    }),
    ...some('warn', requests, {
      icon: 'badge-check',
      words: ['maker waits for verification', 'makers wait for verification'],
      path: `${BUILDERS}?show=waiting`,
      label: 'Review',
    }),
    ...some('warn', appeals, {
      icon: 'star',
      words: ['appeal about a quality seal waits', 'appeals about quality seals wait'],
      path: SEALS,
      label: 'Review',
    }),
  ];
}

type Queue = { count: number; since: Date | null };

type Words = Pick<Line, 'icon' | 'path' | 'label'> & { words: readonly [string, string] };

function some(
  tone: 'bad' | 'warn',
  { count, since }: Queue,
  { words: [one, many], ...need }: Words,
): Need[] {
  if (count === 0) return [];
  const title = writePlural(count, one, many);
  const words = count === 1 ? 'Since' : 'The oldest since';
  const line =
    since === null ? 'Look at the payout account first.' : html`${words} ${instant(since)}`;
  return [toNeed(tone, { ...need, title, line })];
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  DAY_REASONS,
  SOURCES,
  type DayOfUse,
  type DayReason,
} from '../../../domain/usage/history/explain-day.ts';
import type { MonthOfUse } from '../../../domain/usage/history/usage-days.repository.ts';
import { csvLinks } from '../../html/csv-links.ts';
import { barChart } from '../../html/chart.ts';
import { filterForm, select } from '../../html/form.ts';
import { factList, table } from '../../html/table.ts';
import { writeCount as count, writePercent } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import { REASON_WORDS, SOURCE_WORDS, usagePath } from './usage-labels.ts';

type Props = {
  product: FramedProduct;
  /** `YYYY-MM`. */
  month: string;
  /** The months to choose from, the newest first. */
  months: string[];
  usage: MonthOfUse;
  mayExport: boolean;
};

export function usagePage({ product, month, months, usage, mayExport }: Props): View {
  const path = usagePath(product.slug);
  return {
    title: `Usage of ${product.name} in ${month}`,
    ...productFrame(product, '/usage', html`Usage in ${month}`),
    content: html`
      ${monthForm(path, { month, months })} ${monthFacts(usage)}
      ${usage.days.length === 0 ? onlySums() : days(usage.days, month)}
      ${mayExport && usage.days.length > 0 ? download(path, month) : ''} ${explanation()}
    `,
  };
}

export function monthForm(path: string, { month, months }: Pick<Props, 'month' | 'months'>) {
  const options = months.map((name) => ({ value: name, label: name }));
  const field = select({ label: 'Month (UTC)', name: 'month', value: month, options });
  return filterForm({ path, fields: [field], button: 'Show' });
}

function monthFacts(usage: MonthOfUse): HtmlSafeString {
  const { people, returning, qualifiedDays, summedPeople, members, summedDays, memberDays } = usage;
  return factList([
    ['Qualified active days', html`<span data-days>${count(qualifiedDays)}</span>`],
    ['People with a qualified day', count(people)],
    [
      'Returning people',
      html`${count(returning)} ${portion(returning, people)}
        <small class="muted">with qualified days in two or more ISO weeks of the month</small>`,
    ],
    ['Days per person', people === 0 ? '-' : (qualifiedDays / people).toFixed(1)],
    [
      'Members among them',
      html`${count(members)} ${portion(members, summedPeople)} ${CLOSED_DAYS}`,
    ],
    [
      'Days of Members',
      html`${count(memberDays)} ${portion(memberDays, summedDays)} ${CLOSED_DAYS}`,
    ],
  ]);
}

const CLOSED_DAYS = html`<small class="muted"
  >of the days that are over, counted soon after midnight UTC</small
>`;

function days(found: DayOfUse[], month: string): HtmlSafeString {
  const newestFirst = found.toReversed().filter(({ people }) => people > 0);
  return html`${dayChart(found, month)} ${reasonTable(newestFirst)} ${evidenceTable(newestFirst)}`;
}

function dayChart(found: DayOfUse[], month: string): HtmlSafeString {
  const [qualified, others] = [total(found, ['qualified']), total(found, NOT_QUALIFIED)];
  const title = `People per day in ${month}`;
  return html`<section>
    <h2>${title}</h2>
    ${
      qualified + others === 0
        ? html`<p class="muted">No usage in ${month}.</p>`
        : barChart({
            id: 'usage-days',
            title,
            summary: `${count(qualified)} qualified days, and ${count(others)} that did not qualify.`,
            series: ['Qualified', 'Not qualified'],
            bars: found.map((day) => ({
              label: day.day,
              values: [day.reasons.qualified, total([day], NOT_QUALIFIED)],
            })),
            unit: 'Day (UTC)',
            write: count,
          })
    }
  </section>`;
}

function reasonTable(newestFirst: DayOfUse[]): HtmlSafeString {
  return html`<section>
    <h2>Why days counted</h2>
    ${table({
      label: 'People by day and reason',
      empty: 'No evidence in this month.',
      rows: newestFirst,
      columns: {
        'Day (UTC)': ({ day }) => day,
        People: ({ people }) => count(people),
        ...Object.fromEntries(
          DAY_REASONS.map((reason) => [
            REASON_WORDS[reason],
            ({ reasons }: DayOfUse) => count(reasons[reason]),
          ]),
        ),
        'Qualified Members': ({ members }) => (members === null ? '-' : count(members)),
      },
    })}
  </section>`;
}

function evidenceTable(newestFirst: DayOfUse[]): HtmlSafeString {
  return html`<details>
    <summary>Evidence seen</summary>
    <p>
      How many people were reported by which kind with their own token, and by API key. A person may
      stand in several columns.
    </p>
    ${table({
      label: 'People by day and evidence',
      empty: 'No evidence in this month.',
      rows: newestFirst,
      columns: {
        'Day (UTC)': ({ day }) => day,
        ...Object.fromEntries(
          SOURCES.map((source) => [
            SOURCE_WORDS[source],
            ({ sources }: DayOfUse) => count(sources[source]),
          ]),
        ),
      },
    })}
  </details>`;
}

function download(path: string, month: string): HtmlSafeString {
  return csvLinks(`${path}/days.csv?month=${month}`, 'Download days as CSV');
}

const NOT_QUALIFIED = DAY_REASONS.filter((reason) => reason !== 'qualified');

function total(found: readonly DayOfUse[], of: readonly DayReason[]): number {
  return found.reduce(
    (sum, { reasons }) => of.reduce((inDay, reason) => inDay + reasons[reason], sum),
    0,
  );
}

function onlySums(): HtmlSafeString {
  return html`<p class="muted">The days of a month are kept for 26 months.</p>`;
}

function explanation(): HtmlSafeString {
  return html`<section>
    <h2>When a day qualifies</h2>
    <p>
      A day counts once per person. It stands under the first of these reasons that fits, and it may
      rise within the day, never fall.
    </p>
    ${factList([
      [
        REASON_WORDS.qualified,
        "A heartbeat, an activity or a profile read came with the person's own token.",
      ],
      [
        REASON_WORDS.own_team,
        "The same, from a member of the product's own team. These days never qualify.",
      ],
      [
        REASON_WORDS.session_only,
        'Only session reports came with the token. A session alone never qualifies.',
      ],
      [
        REASON_WORDS.no_person_token,
        "Only reports with an API key came, which are analytics. Send reports with the person's token to make them qualify.",
      ],
    ])}
    <p class="muted">
      <small>
        Test keys write no evidence. A live key writes none about a person who is neither signed in
        nor entitled. Evidence of a deleted account stays counted, without the person.
      </small>
    </p>
  </section>`;
}

export function portion(part: number, whole: number): string {
  return whole === 0 ? '' : `(${writePercent(part, whole)})`;
}

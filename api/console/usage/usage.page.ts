import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  DAY_REASONS,
  SOURCES,
  type DayOfUse,
  type DayReason,
} from '../../../domain/usage/history/explain-day.ts';
import type { MonthOfUse } from '../../../domain/usage/history/usage-days.repository.ts';
import { writeMonth, writeShortDay } from '../../../domain/shared/instant.ts';
import { csvButtons } from '../../html/csv-links.ts';
import { writePercent, writeCount as count } from '../../html/numbers.ts';
import { shortDay } from '../../html/dates.ts';
import { barChart, chartKey } from '../../html/chart.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { select } from '../../html/parts/field.ts';
import { card } from '../../html/parts/card.ts';
import { figures, type Figure } from '../../html/parts/figures.ts';
import { cardFold, more } from '../../html/parts/fold.ts';
import { note } from '../../html/parts/note.ts';
import { factList, type Fact } from '../../html/parts/facts.ts';
import { table } from '../../html/table.ts';
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
  const hasDays = usage.days.length > 0;
  return {
    title: `Usage of ${product.name} in ${writeMonth(month)}`,
    ...productFrame(product, '/usage', 'Usage', {
      actions: html`${monthForm(path, { month, months })}
      ${mayExport && hasDays ? csvButtons(`${path}/days.csv?month=${month}`) : ''}`,
    }),
    content: html`
      ${figures(monthFigures(usage))} ${hasDays ? dayChart(usage.days, month) : onlySums(month)}
      ${hasDays ? evidence(newestFirst(usage.days)) : ''} ${explanation()}
    `,
  };
}

export function monthForm(path: string, { month, months }: Pick<Props, 'month' | 'months'>) {
  const options = months.map((name) => ({ value: name, label: writeMonth(name) }));
  const field = select({
    label: 'Month (UTC)',
    name: 'month',
    value: month,
    options,
    isBare: true,
  });
  return filterForm({ path, fields: [field], button: 'Show' });
}

function monthFigures(usage: MonthOfUse): Figure[] {
  const { people, returning, qualifiedDays, summedPeople, members, summedDays, memberDays } = usage;
  return [
    {
      name: 'Qualified active days',
      value: html`<span data-days>${count(qualifiedDays)}</span>`,
      change: people === 0 ? 'No days yet' : `${(qualifiedDays / people).toFixed(1)} a person`,
    },
    { name: 'People with a qualified day', value: count(people) },
    {
      name: 'Returning people',
      value: count(returning),
      change: people === 0 ? '' : `${writePercent(returning, people)}, in two or more weeks`,
    },
    {
      name: 'Members among them',
      value: count(members),
      change:
        summedPeople === 0
          ? ''
          : `${writePercent(members, summedPeople)}, with ${writePercent(memberDays, summedDays)} of days`,
    },
  ];
}

const newestFirst = (found: DayOfUse[]) => found.toReversed().filter(({ people }) => people > 0);

function dayChart(found: DayOfUse[], month: string): HtmlSafeString {
  const [qualified, others] = [total(found, ['qualified']), total(found, NOT_QUALIFIED)];
  const title = `People per day in ${writeMonth(month)}`;
  const body =
    qualified + others === 0
      ? html`<p class="muted">No usage in ${writeMonth(month)}.</p>`
      : html`${barChart({
          id: 'usage-days',
          title,
          summary: `${count(qualified)} qualified days, and ${count(others)} that did not qualify.`,
          series: ['Qualified', 'Not qualified'],
          bars: found.map((day) => ({
            label: writeShortDay(day.day),
            values: [day.reasons.qualified, total([day], NOT_QUALIFIED)],
          })),
          unit: 'Day (UTC)',
          hasKey: false,
          // Its table has each day with its reasons.
          hasTable: false,
          write: count,
        })}
        ${more('Show as table', reasonTable(newestFirst(found)))}`;
  const facts = chartKey([
    { label: 'Qualified', mark: 1 },
    { label: 'Not qualified', mark: 2 },
  ]);
  return card({ title, facts, body });
}

function reasonTable(rows: DayOfUse[]): HtmlSafeString {
  return table<DayOfUse>({
    label: 'People by day and reason',
    empty: 'No evidence in this month.',
    rows,
    columns: {
      'Day (UTC)': ({ day }) => shortDay(day),
      People: { cell: ({ people }) => count(people), isNumber: true },
      ...Object.fromEntries(
        DAY_REASONS.map((reason) => [
          REASON_WORDS[reason],
          { cell: ({ reasons }: DayOfUse) => count(reasons[reason]), isNumber: true },
        ]),
      ),
      'Qualified Members': {
        cell: ({ members }) => (members === null ? '–' : count(members)),
        isNumber: true,
      },
    },
  });
}

function evidence(rows: DayOfUse[]): HtmlSafeString {
  return cardFold({
    id: 'evidence',
    title: 'Evidence seen',
    fact: 'By kind',
    isText: true,
    content: html`<p>
        How many people were reported by which kind with their own token, and by API key. A person
        may stand in several columns.
      </p>
      ${table<DayOfUse>({
        label: 'People by day and evidence',
        empty: 'No evidence in this month.',
        rows,
        columns: {
          'Day (UTC)': ({ day }) => shortDay(day),
          ...Object.fromEntries(
            SOURCES.map((source) => [
              SOURCE_WORDS[source],
              { cell: ({ sources }: DayOfUse) => count(sources[source]), isNumber: true },
            ]),
          ),
        },
      })}`,
  });
}

const NOT_QUALIFIED = DAY_REASONS.filter((reason) => reason !== 'qualified');

function total(found: readonly DayOfUse[], of: readonly DayReason[]): number {
  return found.reduce(
    (sum, { reasons }) => of.reduce((inDay, reason) => inDay + reasons[reason], sum),
    0,
  );
}

function onlySums(month: string): HtmlSafeString {
  return note({
    tone: 'plain',
    sentence: `The days of ${writeMonth(month)} are not kept any more.`,
    more: 'The days of a month are kept for 26 months.',
  });
}

function explanation(): HtmlSafeString {
  const content = html`<p>
      A day counts once per person. It stands under the first of these reasons that fits, and it may
      rise within the day, never fall.
    </p>
    ${factList(REASONS)}
    <p class="muted">
      <small>
        The Members and their share are those of the days that are over, counted soon after midnight
        UTC. Test keys write no evidence. A live key writes none about a person who is neither
        signed in nor entitled. Evidence of a deleted account stays counted, without the person.
      </small>
    </p>`;
  return cardFold({ id: 'qualifies', title: 'When a day qualifies', isText: true, content });
}

const REASONS: Fact[] = [
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
];

export function portion(part: number, whole: number): string {
  return whole === 0 ? '' : `(${writePercent(part, whole)})`;
}

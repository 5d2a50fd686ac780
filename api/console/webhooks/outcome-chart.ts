import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  OUTCOMES,
  type HourOfOutcomes,
  type Step,
} from '../../../domain/webhooks/deliveries/outcomes-by-hour.ts';
import type { Outcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import { toDay, writeShortDay } from '../../../domain/shared/instant.ts';
import { barChart, chartKey } from '../../html/chart.ts';
import { card } from '../../html/parts/card.ts';
import { addUp } from '../../html/numbers.ts';

const LABELS = {
  succeeded: 'Accepted',
  under_way: 'In progress',
  failed: 'Dead, held or cancelled',
} as const;

/** What became of the deliveries of the last hours or days. */
export function outcomeChart({ hours, isPartial }: Outcomes, step: Step): HtmlSafeString {
  const sums = OUTCOMES.map((name) => addUp(hours, (hour) => hour[name]));
  const counts = OUTCOMES.map((name, at) => `${LABELS[name].toLowerCase()} ${sums[at]}`);
  const title = `Deliveries in the last ${hours.length} ${step}s`;
  const body = sums.every((sum) => sum === 0)
    ? html`<p class="muted">None were created in this time.</p>`
    : barChart({
        id: 'outcomes',
        title: `${title}, by outcome`,
        summary: `By ${step} of creation: ${counts.join(', ')}.`,
        series: OUTCOMES.map((name) => LABELS[name]),
        bars: hours.map((hour, index) => ({
          label: writeStep(hour, step),
          values: OUTCOMES.map((name) => hour[name]),
          isOpen: index === hours.length - 1,
        })),
        unit: step === 'day' ? 'Day (UTC)' : 'Hour (UTC)',
        hasKey: false,
      });
  const foot = isPartial ? { foot: 'Only the newest deliveries are counted.' } : {};
  const facts = chartKey([
    { label: LABELS.succeeded, mark: 1 },
    { label: LABELS.under_way, mark: 2 },
    { label: LABELS.failed, mark: 3 },
  ]);
  return card({ title, facts, body, ...foot });
}

function writeStep({ at }: HourOfOutcomes, step: Step): string {
  const day = writeShortDay(toDay(at));
  return step === 'day' ? day : `${day}, ${at.toISOString().slice(11, 16)}`;
}

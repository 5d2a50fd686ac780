import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { RecoveryView } from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import { MOST_RECOVERED, RECOVERY_DAYS } from '../../../domain/webhooks/recoveries/recovery.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import type { View } from '../../http/route.ts';
import { field, INSTANT, select } from '../../html/parts/field.ts';
import { formFields, type Draft } from '../../html/form.ts';
import { instant, shortInstant } from '../../html/dates.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { problemNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { writeCount } from '../../html/numbers.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';

/** A form that is refused as a whole. */
export type RecoveryDraft = {
  typed: Draft<'endpoint' | 'event' | 'status' | 'since' | 'until'>['typed'];
  problem: string | null;
};

type Props = {
  product: FramedProduct;
  endpoints: EndpointOption[];
  recoveries: RecoveryView[];
  /** The reason why this viewer may not recover deliveries; null if the viewer may. */
  blockReason: string | null;
  draft: RecoveryDraft;
  formToken: string;
  now: Date;
};

export const RECOVERY_CHOICES = {
  both: { label: 'Dead and held', statuses: ['dead', 'held'] },
  dead: { label: 'Dead', statuses: ['dead'] },
  held: { label: 'Held', statuses: ['held'] },
} as const;

export function recoveriesPage(props: Props): View {
  const { product, recoveries, blockReason, draft } = props;
  return {
    title: `Recover deliveries of ${product.name}`,
    ...productFrame(product, '/deliveries', 'Recover deliveries', { trail: trailTo(product) }),
    content: html`
      <p>
        After an outage on your side, send dead and held deliveries again with the same payloads and
        ids. You may receive duplicates; deduplicate by <code>id</code>.
      </p>
      ${problemNotice(draft.problem)}
      ${blockReason === null ? recoverForm(props) : note({ tone: 'plain', more: blockReason })}
      ${recoveries.length === 0 ? '' : recoveryList(props)}
    `,
  };
}

/** The pages above those of a delivery and of recoveries. */
export function trailTo(product: FramedProduct) {
  return [
    { path: `${productPath(product.slug)}/endpoints`, label: 'Webhooks' },
    { path: `${productPath(product.slug)}/deliveries`, label: 'Deliveries' },
  ];
}

function recoveryList({ product, recoveries, now }: Props): HtmlSafeString {
  return card({
    title: 'Earlier recoveries',
    rows: table<RecoveryView>({
      label: 'Recoveries',
      rows: recoveries,
      empty: '',
      columns: {
        'Started (UTC)': ({ recoveryId, createdAt }) =>
          html`<a href="${recoveryPath(product, recoveryId)}">${shortInstant(createdAt, now)}</a>`,
        State: { cell: ({ status }) => recoveryPill(status), onPhone: 'state' },
        Filter: describeFilter,
        'Started by': ({ startedByHandle }) => `@${startedByHandle}`,
        Queued: { cell: ({ queued, total }) => `${queued} of ${total}`, isNumber: true },
      },
    }),
  });
}

export function recoveryPill(status: RecoveryView['status']): HtmlSafeString {
  const isRunning = status === 'running';
  return pill({ word: sentenceCase(status), tone: isRunning ? 'info' : 'ok', isLive: isRunning });
}

export function recoveryPath({ slug }: Pick<FramedProduct, 'slug'>, recoveryId: string): string {
  return `${productPath(slug)}/recoveries/${recoveryId}`;
}

export function describeFilter(recovery: RecoveryView): HtmlSafeString {
  const { statuses, eventName, url, since, until } = recovery;
  return html`${sentenceCase(statuses.join(' and '))}${eventName === null ? '' : `, ${eventName}`},
  ${url === null ? 'all endpoints' : html`<span class="id">${url}</span>`}, created from
  ${instant(since)} until ${instant(until)}`;
}

function recoverForm({ product, endpoints, draft, formToken: token }: Props) {
  const fields = formFields({ typed: draft.typed, problems: {} }, { status: 'both' });
  const all = { value: '', label: 'All' };
  const urls = endpoints.map(({ endpointId, url, isDisabled }) => ({
    value: endpointId,
    label: isDisabled ? `${url} (disabled)` : url,
  }));
  const events = EVENT_NAMES.map((name) => ({ value: name, label: name }));
  const statuses = Object.entries(RECOVERY_CHOICES).map(([value, { label }]) => ({ value, label }));
  return card({
    title: 'What to send again',
    body: html`<form method="post" action="${productPath(product.slug)}/recoveries">
      ${formToken(token)}
      ${select(fields('endpoint', { label: 'Endpoint', options: [all, ...urls] }))}
      <div class="pair">
        ${select(fields('event', { label: 'Event', options: [all, ...events] }))}
        ${select(fields('status', { label: 'State', options: statuses }))}
      </div>
      <div class="pair">
        ${field(fields('since', { label: 'Created from (UTC)', type: 'datetime-local' }))}
        ${field(fields('until', { label: 'Until (UTC)', hint: 'Now if empty.', isOptional: true, ...INSTANT }))}
      </div>
      ${button({ text: 'Recover deliveries', kind: 'primary' })}
    </form>`,
    foot: html`<p>
      A recovery covers at most ${RECOVERY_DAYS} days and ${writeCount(MOST_RECOVERED)} deliveries,
      oldest first. Start another recovery for the rest. Deliveries of a disabled endpoint stay
      held.
    </p>`,
  });
}

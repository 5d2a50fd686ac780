import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { RecoveryView } from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import { MOST_RECOVERED, RECOVERY_DAYS } from '../../../domain/webhooks/recoveries/recovery.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import type { View } from '../../http/route.ts';
import { field, formFields, INSTANT, select, type Draft } from '../../html/form.ts';
import { formToken, instant } from '../../html/layout.ts';
import { problemNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
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
    ...productFrame(product, '/deliveries', 'Recover deliveries'),
    content: html`
      ${problemNotice(draft.problem)}
      <p>
        After an outage on your side, send dead and held deliveries again with the same payloads and
        ids. You may receive duplicates; deduplicate by <code>id</code>.
      </p>
      ${blockReason === null ? recoverForm(props) : html`<p class="muted">${blockReason}</p>`}
      ${table({
        label: 'Recoveries',
        rows: recoveries,
        empty: 'No recoveries yet.',
        columns: {
          Started: ({ recoveryId, createdAt }: RecoveryView) =>
            html`<a href="${recoveryPath(product, recoveryId)}">${instant(createdAt)}</a>`,
          'Started by': ({ startedByHandle }) => startedByHandle,
          Filter: describeFilter,
          Status: ({ status }) => sentenceCase(status),
          Queued: ({ queued, total }) => `${queued} of ${total}`,
        },
      })}
    `,
  };
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
  return html`<article>
    <form method="post" action="${productPath(product.slug)}/recoveries">
      ${formToken(token)}
      ${select(fields('endpoint', { label: 'Endpoint', options: [all, ...urls] }))}
      ${select(fields('event', { label: 'Event', options: [all, ...events] }))}
      ${select(fields('status', { label: 'Status', options: statuses }))}
      <div class="grid">
        ${field(fields('since', { label: 'Created from (UTC)', type: 'datetime-local' }))}
        ${field(fields('until', { label: 'Until (UTC, now if empty)', ...INSTANT }))}
      </div>
      <button>Recover</button>
    </form>
    <p>
      <small>
        A recovery covers at most ${RECOVERY_DAYS} days and ${MOST_RECOVERED.toLocaleString('en')}
        deliveries, oldest first. Start another recovery for the rest. Deliveries of a disabled
        endpoint stay held.
      </small>
    </p>
  </article>`;
}

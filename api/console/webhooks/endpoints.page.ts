import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointEntry } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { SUBSCRIBABLE } from '../../../domain/webhooks/events.schema.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { shortInstant } from '../../html/dates.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { blockNotice, problemNotice } from '../../html/notices.ts';
import { hostOf } from '../../html/open-product.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { cardFold } from '../../html/parts/fold.ts';
import { table } from '../../html/table.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { trialNotice } from '../credentials/trial-notice.ts';
import { deliveryPill, shownAddress } from './delivery-labels.ts';
import { targetFields, type Draft } from './endpoint-form.ts';
import { endpointPill, endpointTrouble, isFailing } from './endpoint-state.ts';

export type Surroundings = {
  product: FramedProduct;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Only endpoints on loopback addresses are open. */
  isTrial: boolean;
  problem: string | null;
  formToken: string;
  now: Date;
};

type Props = Surroundings & { endpoints: EndpointEntry[]; draft: Draft };

export function endpointsPath({ slug }: { slug: string }): string {
  return `${productPath(slug)}/endpoints`;
}

type Target = { product: { slug: string }; endpointId: string };

export function endpointPath({ product, endpointId }: Target): string {
  return `${endpointsPath(product)}/${endpointId}`;
}

const NEW = 'new-endpoint';

export function endpointsPage(props: Props): View {
  const { product, endpoints, blockReason } = props;
  const isOpen = blockReason === null;
  return {
    title: `Webhooks of ${product.name}`,
    ...productFrame(product, '/endpoints', 'Webhooks'),
    content: html`
      ${said(props)} ${endpoints.map((endpoint) => troubleOf(endpoint, product))}
      ${endpoints.length === 0 ? NONE : ''} ${isOpen ? newEndpointForm(props) : ''}
      ${endpoints.length === 0 ? '' : card({ rows: endpointTable(props) })}
    `,
  };
}

const NONE = emptyState({
  title: 'No endpoints yet',
  sentence:
    'We send signed events to your server when access or purchases change. Without an endpoint, your server has to ask.',
});

export function said({ blockReason, isTrial, problem }: Surroundings): HtmlSafeString {
  return html`${isTrial ? trialNotice('endpoints') : blockNotice(blockReason)}
  ${problemNotice(problem)}`;
}

function troubleOf(endpoint: EndpointEntry, { slug }: FramedProduct): HtmlSafeString | '' {
  return endpointTrouble({
    endpoint,
    name: hostOf(endpoint.url),
    recoverPath: `${productPath(slug)}/recoveries?endpoint=${endpoint.endpointId}`,
  });
}

function endpointTable({ endpoints, product, now }: Props) {
  return table<EndpointEntry>({
    label: 'Webhook endpoints',
    empty: '',
    rows: endpoints.toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one))),
    columns: {
      Endpoint: ({ endpointId, url }) =>
        html`<a href="${endpointPath({ product, endpointId })}" data-endpoint="${endpointId}"
          ><span class="cut" title="${url}">${shownAddress(url)}</span></a
        >`,
      State: { cell: endpointPill, onPhone: 'state' },
      Events: {
        cell: ({ events }) =>
          html`<span title="${events.join(', ')}"
            >${events.length} of ${SUBSCRIBABLE.length}</span
          >`,
        isNumber: true,
      },
      'Last delivery': ({ last }) =>
        last === null
          ? 'None recently'
          : html`${deliveryPill(last.status)} <small>${last.event}</small>`,
      'Time (UTC)': {
        cell: ({ last }) => (last === null ? '' : shortInstant(last.at, now)),
        isNumber: true,
      },
    },
  });
}

function newEndpointForm({ product, endpoints, draft, formToken: token }: Props) {
  const hasProblem = Object.keys(draft.problems).length > 0;
  return cardFold({
    id: NEW,
    title: 'Add endpoint',
    icon: 'plus',
    fact: 'Up to 10, each with its own secret and events',
    isOpen: endpoints.length === 0 || hasProblem,
    content: html`<form method="post" action="${endpointsPath(product)}">
      ${formToken(token)} ${targetFields(draft)}
      ${button({ text: 'Add endpoint', kind: 'primary' })}
    </form>`,
  });
}

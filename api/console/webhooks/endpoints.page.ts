import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointEntry } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { View } from '../../http/route.ts';
import { formToken, instant } from '../../html/layout.ts';
import { blockNotice, problemNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { trialNotice } from '../credentials/trial-notice.ts';
import { targetFields, type Draft } from './endpoint-form.ts';

export type Surroundings = {
  product: FramedProduct;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Only endpoints on loopback addresses are open. */
  isTrial: boolean;
  problem: string | null;
  formToken: string;
};

type Props = Surroundings & { endpoints: EndpointEntry[]; draft: Draft };

export function endpointsPath({ slug }: { slug: string }): string {
  return `${productPath(slug)}/endpoints`;
}

export function endpointsPage(props: Props): View {
  const { product, endpoints, blockReason } = props;
  return {
    title: `Webhook endpoints of ${product.name}`,
    ...productFrame(product, '/endpoints', 'Webhook endpoints'),
    content: html`
      ${said(props)}
      <p>
        We send events to your server when access or purchases change. A product can have up to 10
        endpoints. Each has its own secret and gets the events that you choose.
      </p>
      ${endpointTable(endpoints, endpointsPath(product))}
      ${blockReason === null ? newEndpointForm(props) : ''}
    `,
  };
}

export function said({ blockReason, isTrial, problem }: Surroundings): HtmlSafeString {
  return html`${isTrial ? trialNotice('endpoints') : blockNotice(blockReason)}
  ${problemNotice(problem)}`;
}

function endpointTable(endpoints: EndpointEntry[], path: string) {
  return table({
    label: 'Webhook endpoints',
    empty: 'No endpoints yet.',
    rows: endpoints,
    columns: {
      URL: ({ endpointId, url }) =>
        html`<a class="id" href="${path}/${endpointId}" data-endpoint="${endpointId}">${url}</a>`,
      Events: ({ events }) => events.join(', '),
      State: ({ disabledAt }) => (disabledAt ? 'Disabled' : 'Enabled'),
      'Last delivery': (endpoint) => lastDelivery(endpoint),
    },
  });
}

/** One line: the event, its status and the response. */
export function lastDelivery({ last }: EndpointEntry): HtmlSafeString | string {
  if (last === null) return 'None recently';
  const { event, status, outcome, at } = last;
  return html`${event}: ${status}${outcome === null ? '' : html` (${outcome})`}, ${instant(at)}`;
}

function newEndpointForm({ product, draft, formToken: token }: Props) {
  return html`<article>
    <h2>Add endpoint</h2>
    <form method="post" action="${endpointsPath(product)}">
      ${formToken(token)} ${targetFields(draft)}
      <button type="submit">Add endpoint</button>
    </form>
  </article>`;
}

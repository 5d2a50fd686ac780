import { html, type HtmlSafeString } from '@prairielearn/html';
import type { DeliveryLine } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import type { Outcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import type { EndpointEntry } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { Secrets } from '../../../domain/webhooks/endpoints/secret-rotation.repository.ts';
import { SUBSCRIBABLE } from '../../../domain/webhooks/events.schema.ts';
import type { View } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { factList } from '../../html/parts/facts.ts';
import { table } from '../../html/table.ts';
import { instant } from '../../html/dates.ts';
import { smallButton } from '../../html/form.ts';
import { ONCE_VERIFIED } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { withAside } from '../../html/parts/beside.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { shownAddress } from './delivery-labels.ts';
import { deliveryColumns } from './delivery-table.ts';
import {
  deletion,
  exampleFold,
  secretActions,
  stateAction,
  TARGET,
  targetFold,
} from './endpoint-actions.ts';
import type { Draft } from './endpoint-form.ts';
import { endpointPill, endpointTrouble } from './endpoint-state.ts';
import { endpointPath, endpointsPath, said, type Surroundings } from './endpoints.page.ts';
import { outcomeChart } from './outcome-chart.ts';

type EndpointProps = Surroundings & {
  endpoint: EndpointEntry;
  draft: Draft;
  /** Only on the page that answers the press of a button. */
  secrets: Secrets | null;
  outcomes: Outcomes;
  /** The newest deliveries to it. */
  deliveries: readonly DeliveryLine[];
  /** The link to its workflows in Temporal, for operators. */
  workflows: HtmlSafeString | '';
};

export const TESTS_WAIT = `You can send tests and examples ${ONCE_VERIFIED}`;

export function endpointPage(props: EndpointProps): View {
  const { product, endpoint, blockReason, secrets, outcomes } = props;
  const isOpen = blockReason === null;
  const recoverPath = `${productPath(product.slug)}/recoveries?endpoint=${endpoint.endpointId}`;
  return {
    title: `${shownAddress(endpoint.url)}, an endpoint of ${product.name}`,
    showsSecret: secrets !== null,
    hasCopyButtons: true,
    ...productFrame(
      product,
      '/endpoints',
      html`<code class="name cut">${shownAddress(endpoint.url)}</code>`,
      {
        trail: [{ path: endpointsPath(product), label: 'Webhooks' }],
        state: endpointPill(endpoint),
        actions: isOpen ? headActions(props) : '',
      },
    ),
    content: html`
      ${said(props)} ${secrets === null ? '' : shownSecrets(secrets)}
      ${endpointTrouble({ endpoint, recoverPath })}
      ${withAside(
        html`${outcomeChart(outcomes, 'day')} ${newest(props)}
        ${isOpen ? html`${props.isTrial ? firstEvent(props) : exampleFold(props)} ${targetFold(props)}` : ''}`,
        html`${addressCard(props)} ${secretCard(props)} ${eventsCard(endpoint)}
        ${isOpen ? stateCard(props) : ''}`,
      )}
      ${props.workflows}
    `,
  };
}

function headActions(props: EndpointProps): HtmlSafeString {
  const { product, endpoint } = props;
  const edit = button({ text: 'Edit endpoint', href: `#${TARGET}` });
  if (props.isTrial || endpoint.disabledAt !== null) return edit;
  return html`${edit}
  ${smallButton({
    action: `${endpointPath({ product, ...endpoint })}/test`,
    token: props.formToken,
    button: 'Send test',
    isMain: true,
  })}`;
}

function shownSecrets({ current, previous }: Secrets) {
  return html`<div role="status" data-secret>
    ${card({
      title: 'The secret of this endpoint',
      body: html`<p>
          Anyone with it can forge events. Keep it where your server keeps its passwords.
        </p>
        <p>${secret('current', current)}</p>
        ${
          previous === null
            ? ''
            : html`<p>We also sign with the previous secret until ${instant(previous.until)}:</p>
                <p>${secret('previous', previous.secret)}</p>`
        }`,
    })}
  </div>`;
}

function secret(which: 'current' | 'previous', text: string): HtmlSafeString {
  const mark = html`data-secret="${which}"`;
  return copyable({ id: `secret-${which}`, label: `${which} secret`, text, mark });
}

function newest({ product, endpoint, deliveries, now }: EndpointProps): HtmlSafeString {
  const path = `${productPath(product.slug)}/deliveries`;
  return card({
    title: 'Newest deliveries',
    actions: button({
      text: 'See all',
      size: 'small',
      href: `${path}?endpoint=${endpoint.endpointId}`,
      label: 'See all deliveries of this endpoint',
    }),
    rows: table({
      label: 'Webhook deliveries',
      rows: deliveries,
      columns: deliveryColumns({ path, now, showsEndpoint: false }),
      empty: 'No deliveries yet. Send a test to see one.',
    }),
  });
}

function firstEvent({ product }: EndpointProps) {
  return card({
    title: 'First event',
    body: html`<p>
      ${TESTS_WAIT} You can get a real event now:
      <a href="${productPath(product.slug)}/clients">create a client</a> on your own machine and
      sign in to it. When you allow it, we send <code>authorization.granted</code> to each endpoint
      that is subscribed to it. If you have allowed it already, revoke it in
      <a href="/settings/apps">Connected apps</a> first: that sends
      <code>authorization.revoked</code>.
    </p>`,
  });
}

function addressCard({ endpoint }: EndpointProps) {
  const { url, createdAt, disabledAt, last } = endpoint;
  return html`<div data-state="${disabledAt === null ? 'enabled' : 'disabled'}">
    ${card({
      title: 'Address',
      body: factList(
        [
          ['URL', copyable({ id: 'endpoint-url', label: 'URL', text: url, isLine: true })],
          ['Added', instant(createdAt)],
          ['Last delivery', last === null ? 'None recently' : instant(last.at)],
        ],
        'above',
      ),
    })}
  </div>`;
}

/** What stops it stands last. */
function stateCard(props: EndpointProps) {
  const isEnabled = props.endpoint.disabledAt === null;
  return card({
    title: isEnabled ? 'Disable or delete' : 'Enable or delete',
    body: html`${stateAction(props)} ${deletion(props)}`,
  });
}

function secretCard(props: EndpointProps) {
  return card({
    title: 'Signing secret',
    body: html`<p>
        <small>We sign each delivery with it. The audit trail records when someone shows it.</small>
      </p>
      ${props.blockReason === null ? secretActions(props) : ''}`,
  });
}

function eventsCard({ events }: EndpointEntry) {
  return card({
    title: 'Events',
    facts: `${events.length} of ${SUBSCRIBABLE.length}`,
    body: html`<ul class="plain">
      ${events.map((name) => html`<li><code>${name}</code></li>`)}
    </ul>`,
  });
}

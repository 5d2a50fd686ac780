import { html, type HtmlSafeString } from '@prairielearn/html';
import type { EndpointEntry } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { Secrets } from '../../../domain/webhooks/endpoints/secret-rotation.repository.ts';
import { SUBSCRIBABLE } from '../../../domain/webhooks/events.schema.ts';
import type { View } from '../../http/route.ts';
import { askOnce, select } from '../../html/form.ts';
import { copyable } from '../../html/copy.ts';
import { formToken, instant } from '../../html/layout.ts';
import { ONCE_VERIFIED } from '../../html/notices.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { targetFields, type Draft } from './endpoint-form.ts';
import { endpointsPath, lastDelivery, said, type Surroundings } from './endpoints.page.ts';

type Props = Surroundings & {
  endpoint: EndpointEntry;
  draft: Draft;
  /** Only on the page that answers the press of a button. */
  secrets: Secrets | null;
  /** The link to its workflows in Temporal, for operators. */
  workflows: HtmlSafeString | '';
};

/** The days for which the old secret signs too; most endpoints need one. */
export const WINDOW_DAYS = ['0', '1', '2', '3', '4', '5', '6', '7'] as const;
const USUAL_DAYS = '1';

export const TESTS_WAIT = `You can send tests and examples ${ONCE_VERIFIED}`;

export function endpointPage(props: Props): View {
  const { product, endpoint, blockReason, secrets } = props;
  const { url, createdAt, disabledAt, events } = endpoint;
  return {
    title: `Webhook endpoint of ${product.name}`,
    showsSecret: secrets !== null,
    hasCopyButtons: true,
    ...productFrame(product, '/endpoints', 'Webhook endpoint'),
    content: html`
      ${said(props)} ${secrets === null ? '' : shownSecrets(secrets)}
      <p>${copyable({ id: 'endpoint-url', label: 'URL', text: url })}</p>
      <ul data-state="${disabledAt === null ? 'enabled' : 'disabled'}">
        <li>
          ${disabledAt === null ? 'Enabled' : html`Disabled since ${instant(disabledAt)}`}, added
          ${instant(createdAt)}
        </li>
        <li>Subscribed to ${events.join(', ')}</li>
        <li>
          Last delivery: ${lastDelivery(endpoint)}.
          <a href="${productPath(product.slug)}/deliveries?endpoint=${endpoint.endpointId}"
            >All deliveries of this endpoint</a
          >
        </li>
      </ul>
      ${props.workflows}
      ${
        blockReason === null
          ? html`${props.isTrial ? firstEventSection(props) : testSection(props)}
            ${secretSection(props)} ${targetSection(props)} ${stateSection(props)}`
          : ''
      }
    `,
  };
}

function shownSecrets({ current, previous }: Secrets) {
  return html`<article role="status" data-secret>
    <p>
      <strong>This is the secret of this endpoint.</strong> Anyone with this secret can forge
      events. Keep it where your server keeps its passwords.
    </p>
    <p>${secret('current', current)}</p>
    ${
      previous === null
        ? ''
        : html`<p>We also sign with the previous secret until ${instant(previous.until)}:</p>
            <p>${secret('previous', previous.secret)}</p>`
    }
  </article>`;
}

function secret(which: 'current' | 'previous', text: string): HtmlSafeString {
  const mark = html`data-secret="${which}"`;
  return copyable({ id: `secret-${which}`, label: `${which} secret`, text, mark });
}

function firstEventSection({ product }: Props) {
  return html`<article>
    <h2>First event</h2>
    <p>
      ${TESTS_WAIT} You can get a real event now:
      <a href="${productPath(product.slug)}/clients">create an OAuth client</a> on your own machine
      and sign in to it. When you allow it, we send <code>authorization.granted</code> to each
      endpoint that is subscribed to it. If you have allowed it already, revoke it in
      <a href="/settings/apps">Connected apps</a> first: that sends
      <code>authorization.revoked</code>.
    </p>
  </article>`;
}

function testSection(props: Props) {
  return html`<article>
    <h2>Test</h2>
    <p>
      Send a signed event to this endpoint only. You can send five tests and examples in ten
      minutes.
    </p>
    ${form(props, '/test', html`<button class="outline">Send test</button>`)}
    <details>
      <summary>Send an example</summary>
      ${form(props, '/test', html`${examples()} <button class="outline">Send example</button>`)}
    </details>
  </article>`;
}

function examples() {
  const options = SUBSCRIBABLE.map(({ name }) => ({ value: name, label: name }));
  return html`<p>
      An example has made-up data: its person and its purchase do not exist. Your server cannot tell
      it from a real event by its envelope or signature. The console marks its delivery.
    </p>
    ${select({ label: 'Event', name: 'event', options })}`;
}

function secretSection(props: Props) {
  return html`<article>
    <h2>Secret</h2>
    <p>We sign each delivery with this secret. The audit trail records when someone shows it.</p>
    ${form(props, '/secret', html`<button class="outline">Show secret</button>`)}
    <details>
      <summary>Rotate secret</summary>
      ${form(props, '/rotate', rotation(props.endpoint))}
    </details>
  </article>`;
}

function rotation({ secretVersion, previousUntil }: EndpointEntry) {
  return html`<input type="hidden" name="replaces" value="${secretVersion}" />
    <p>
      After you rotate, we sign with a new secret. We also sign with the current secret, in
      <code>service-signature-previous</code>, for as long as you choose.
    </p>
    ${
      previousUntil === null
        ? ''
        : html`<p>
            We sign with the previous secret until ${instant(previousUntil)}. If you rotate now,
            that stops immediately.
          </p>`
    }
    ${select({
      label: 'Keep signing with the current secret',
      name: 'window_days',
      value: USUAL_DAYS,
      options: WINDOW_DAYS.map((days) => ({ value: days, label: describeWindow(Number(days)) })),
    })}
    <button class="outline">Rotate secret</button>`;
}

function describeWindow(days: number): string {
  if (days === 0) return 'No, it has leaked';
  return days === 1 ? 'For 24 hours' : `For ${days} days`;
}

function targetSection(props: Props) {
  return html`<article>
    <h2>URL and events</h2>
    <p><small class="muted">Pending deliveries go to the new URL too.</small></p>
    ${form(props, '', html`${targetFields(props.draft)} <button class="outline">Save</button>`)}
  </article>`;
}

function stateSection(props: Props) {
  const isEnabled = props.endpoint.disabledAt === null;
  return html`<article>
    <h2>${isEnabled ? 'Disable or delete' : 'Enable or delete'}</h2>
    <p>
      ${
        isEnabled
          ? 'While the endpoint is disabled, we keep new events and send none.'
          : 'Once the endpoint is enabled, we send new events again. To send the held deliveries, recover them.'
      }
    </p>
    ${form(
      props,
      '/state',
      html`<div class="actions">
        ${isEnabled ? button('disable', 'Disable') : button('enable', 'Enable')}
        ${askOnce({
          summary: 'Delete',
          sentence:
            "Pending deliveries are cancelled, and nothing more is sent. This can't be undone.",
          button: html`<button name="action" value="delete" class="danger">
            Delete endpoint
          </button>`,
        })}
      </div>`,
    )}
  </article>`;
}

type Where = Pick<Props, 'product' | 'endpoint' | 'formToken'>;

function form(where: Where, path: string, content: HtmlSafeString): HtmlSafeString {
  const action = `${endpointsPath(where.product)}/${where.endpoint.endpointId}${path}`;
  return html`<form method="post" action="${action}">
    ${formToken(where.formToken)} ${content}
  </form>`;
}

function button(action: string, text: string): HtmlSafeString {
  return html`<button name="action" value="${action}" class="outline secondary">${text}</button>`;
}

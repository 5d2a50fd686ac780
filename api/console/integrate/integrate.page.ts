import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { FirstCalls } from '../../../domain/usage/checks-by-day.repository.ts';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { Origins } from '../../docs/guide-text.ts';
import { copyable } from '../../html/copy.ts';
import { blockNotice, VERIFICATION } from '../../html/notices.ts';
import type { View } from '../../http/route.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import type { CredentialRights } from '../managed-product.ts';
import { checkCommand, keepKey, receiveCommand, reportCommand } from './commands.ts';
import { alsoEnabled, command, guide, program } from './step-parts.ts';
import { signInStep } from './sign-in-step.ts';

type Props = {
  product: FramedProduct & Pick<ManagedProduct, 'id' | 'delivery'>;
  origins: Origins;
  /** The reader, about whom the first check asks. */
  personId: string;
  keys: KeyView[];
  /** The enabled clients, the newest first: the steps show the newest. */
  clients: RegisteredClient[];
  endpoints: EndpointOption[];
  seen: FirstCalls;
  isDelivered: boolean;
  credentialRights: CredentialRights;
  endpointRights: CredentialRights;
};

export function integratePage(props: Props): View {
  const { product, endpointRights } = props;
  return {
    title: `Integrate ${product.name}`,
    hasCopyButtons: true,
    ...productFrame(product, '/integrate', 'Integrate'),
    content: html`
      ${product.delivery === 'entitlement_api' ? steps(props) : blockNotice(endpointRights.blockReason)}
    `,
  };
}

function steps(props: Props): HtmlSafeString {
  const { product, seen, keys, isDelivered } = props;
  const { baseUrl } = props.origins;
  return html`
    <p>
      Five steps from nothing to a product that knows its customers. The commands have the ids of
      this product and run in a shell; your key and the endpoint's secret are all that you fill in.
      A step is done when we have seen it work.
    </p>
    <dl class="facts">
      <dt>Base address</dt>
      <dd>${copyable({ id: 'base-address', label: 'base address', text: baseUrl })}</dd>
      <dt>Product ID</dt>
      <dd>${copyable({ id: 'product-id', label: 'product ID', text: product.id })}</dd>
    </dl>
    ${step({ name: 'key', heading: '1. Get a test key', isDone: keys.length > 0 }, keyStep(props))}
    ${step(
      { name: 'check', heading: '2. Check an entitlement', isDone: seen.hasChecked },
      checkStep(props),
    )}
    ${step(
      { name: 'sign-in', heading: '3. Sign a person in', isDone: seen.hasSignedIn },
      signInStep(props),
    )}
    ${step(
      { name: 'webhook', heading: '4. Receive webhooks', isDone: isDelivered },
      webhookStep(props),
    )}
    ${step(
      { name: 'usage', heading: '5. Report usage', isDone: seen.hasReported },
      usageStep(props),
    )}
    <p>
      Something refused? <a href="${productPath(product.slug)}/requests">Requests</a> lists what
      your server asked, with the error code of each answer.
    </p>
  `;
}

type Step = { name: string; heading: string; isDone: boolean };

function step({ name, heading, isDone }: Step, content: HtmlSafeString): HtmlSafeString {
  return html`<article data-step="${name}" data-done="${isDone}">
    <h2>${heading} <small>${isDone ? '✓ Done' : 'Not seen yet'}</small></h2>
    ${content}
  </article>`;
}

function keyStep({ product, keys, credentialRights: { blockReason, isTrial } }: Props) {
  const path = `${productPath(product.slug)}/keys`;
  const test = keys.find(({ mode }) => mode === 'test');
  return html`${
      test
        ? html`<p>You have <code>gk_test_...${test.lastFour}</code> (${test.name}).</p>`
        : blockNotice(blockReason)
    }
    <p>
      <a href="${path}">${blockReason === null ? 'Create a test key' : 'API keys'}</a>. We show a
      key once, when it is created. A test key reads real data and records nothing.
      ${isTrial ? html`Live keys wait until you are <a href="/console/verification">verified</a>.` : ''}
    </p>
    <p>Put it in your shell:</p>
    ${command('keep-key', 'command that keeps the key', keepKey)} ${guide('api-keys', 'API keys')}`;
}

function checkStep({ origins: { baseUrl }, personId }: Props): HtmlSafeString {
  return html`<p>
      Your server asks whether a person may use the product. This asks about you; send
      <code>X-Service-Test-Entitlement: active</code> too to see the other answer with a test key.
    </p>
    ${command('check', 'check', checkCommand({ baseUrl, personId }))}
    ${guide('access', 'Access and usage')}`;
}

/** Leads to a first event before the verification, for which _Send test_ waits. */
const firstEvent = html`Other addresses and <em>Send test</em> wait until you are
  <a href="${VERIFICATION}">verified</a>. For a first event, revoke your own app of step 3 in
  <a href="/settings/apps">Connected apps</a>: we send <code>authorization.revoked</code>. When you
  sign in to it again, we send <code>authorization.granted</code>.`;

function webhookStep({
  product,
  origins,
  endpoints,
  endpointRights: { blockReason, isTrial },
}: Props): HtmlSafeString {
  const path = `${productPath(product.slug)}/endpoints`;
  const [endpoint, ...others] = endpoints;
  const to = endpoint
    ? html`<p>
        Events go to ${others.length === 0 ? '' : 'the newest endpoint, '}
        <code class="id">${endpoint.url}</code>. Its secret is shown on
        <a href="${path}/${endpoint.endpointId}">the endpoint's page</a>${
          isTrial ? '' : html`, which has <em>Send test</em> too`
        }.
        ${isTrial ? firstEvent : ''}
        ${alsoEnabled(
          others.map(
            ({ endpointId, url }) => html`<a class="id" href="${path}/${endpointId}">${url}</a>`,
          ),
        )}
      </p>`
    : html`${blockNotice(blockReason)}
        <p>
          <a href="${path}">Add an endpoint</a> at the address where your server will
          listen${isTrial ? html`, such as <code>http://localhost:4001/</code>` : ''}. Its page
          shows the secret${isTrial ? '' : html` and has <em>Send test</em>`}.
          ${isTrial ? firstEvent : ''}
        </p>`;
  const url = endpoint?.url ?? null;
  const programs = [
    { language: 'ts', name: 'TypeScript', file: 'receive.ts', runner: 'node receive.ts' },
    { language: 'python', name: 'Python', file: 'receive.py', runner: 'python3 receive.py' },
  ];
  return html`${to}
  ${programs.map(({ runner, ...file }) =>
    program({
      ...file,
      guide: 'webhooks',
      origins,
      what: 'receive and verify',
      run: receiveCommand(runner, url),
      needs: "the endpoint's secret",
    }),
  )}
  ${guide('webhooks', 'Webhooks, with Go and others')}`;
}

function usageStep({ origins: { baseUrl }, personId }: Props): HtmlSafeString {
  return html`<p>
      Your server says that somebody used the product. A test key gets the answer and records
      nothing; an app reports with the person's own token instead.
    </p>
    ${command('report', 'report', reportCommand({ baseUrl, personId }))}
    ${guide('access', 'Access and usage')}`;
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { FirstCalls } from '../../../domain/usage/first-calls.repository.ts';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { readProgram } from '../../docs/render-guide.ts';
import { copyable } from '../../html/copy.ts';
import { blockNotice, ONCE_VERIFIED, VERIFICATION } from '../../html/notices.ts';
import type { View } from '../../route.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';
import type { CredentialRights } from '../managed-product.ts';
import {
  authorizeCommand,
  checkCommand,
  exchangeCommand,
  keepKey,
  profileCommand,
  receiveCommand,
  reportCommand,
} from './commands.ts';

type Props = {
  product: FramedProduct & Pick<ManagedProduct, 'id' | 'delivery'>;
  baseUrl: string;
  /** The reader, about whom the first check asks. */
  personId: string;
  keys: KeyView[];
  /** The first that is enabled. */
  client: RegisteredClient | null;
  endpoint: EndpointOption | null;
  seen: FirstCalls;
  isDelivered: boolean;
  credentialRights: CredentialRights;
  endpointBlockReason: string | null;
};

export function integratePage(props: Props): View {
  const { product, endpointBlockReason } = props;
  return {
    title: `Integrate ${product.name}`,
    hasCopyButtons: true,
    content: html`
      ${productHeading(product, '/integrate')}
      <h2>Integrate</h2>
      ${product.delivery === 'entitlement_api' ? steps(props) : blockNotice(endpointBlockReason)}
    `,
  };
}

function steps(props: Props): HtmlSafeString {
  const { product, baseUrl, seen, keys, isDelivered } = props;
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
    <h3>${heading} <small>${isDone ? '✓ Done' : 'Not seen yet'}</small></h3>
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
    ${command('keep-key', 'command that keeps the key', keepKey)}
    ${guides(['api-keys', 'API keys'])}`;
}

function checkStep({ baseUrl, personId }: Props): HtmlSafeString {
  return html`<p>
      Your server asks whether a person may use the product. This asks about you; send
      <code>X-Service-Test-Entitlement: active</code> too to see the other answer with a test key.
    </p>
    ${command('check', 'check', checkCommand({ baseUrl, personId }))}
    ${guides(['access', 'Access and usage'])}`;
}

function signInStep({ product, baseUrl, client, credentialRights }: Props): HtmlSafeString {
  const path = `${productPath(product.slug)}/clients`;
  const redirectUri = client?.redirectUris[0];
  if (!client || redirectUri === undefined) {
    return html`${blockNotice(credentialRights.blockReason)}
      <p>
        <a href="${path}">Create an OAuth client</a> with the address that people come back to, such
        as <code>http://localhost:4000/callback</code>. Then this step shows its commands.
      </p>
      ${guides(['sign-in', 'Sign-in'])}`;
  }
  const { id, kind, name } = client;
  const asked = { baseUrl, id, kind, redirectUri };
  return html`<p>
      The client is <a href="${path}">${name}</a>, with its first redirect URI,
      <code class="id">${redirectUri}</code>. Open the address that this prints, sign in, and allow
      the app:
    </p>
    ${command('authorize', 'command that prints the address', authorizeCommand(asked))}
    <p>
      The browser comes back to the redirect URI with <code>code=gac_...</code> in its address, even
      where nothing listens yet. Exchange the code within five minutes, in the same shell:
    </p>
    ${command('exchange', 'exchange of the code', exchangeCommand(asked))}
    <p>Read the profile with the <code>access_token</code> of the answer:</p>
    ${command('profile', 'profile read', profileCommand({ baseUrl }))}
    ${guides(['sign-in', 'Sign-in'])}`;
}

function webhookStep({
  product,
  endpoint,
  endpointBlockReason,
  credentialRights,
}: Props): HtmlSafeString {
  const path = `${productPath(product.slug)}/endpoints`;
  const to = endpoint
    ? html`<p>
        Events go to <code class="id">${endpoint.url}</code>. Its secret is shown on
        <a href="${path}/${endpoint.endpointId}">the endpoint's page</a>, which has
        <em>Send test</em>
        too.
      </p>`
    : credentialRights.isTrial
      ? html`<p class="notice" role="status">
          You can add webhook endpoints ${ONCE_VERIFIED}
          <a href="${VERIFICATION}">Verification</a>
        </p>`
      : html`${blockNotice(endpointBlockReason)}
          <p>
            <a href="${path}">Add an endpoint</a> at the address where your server will listen. Its
            page shows the secret and has <em>Send test</em>.
          </p>`;
  const url = endpoint?.url ?? null;
  return html`${to}
  ${program({ language: 'ts', name: 'TypeScript', file: 'receive.ts', runner: 'node receive.ts' }, url)}
  ${program(
    { language: 'python', name: 'Python', file: 'receive.py', runner: 'python3 receive.py' },
    url,
  )}
  ${guides(['webhooks', 'Webhooks, with Go and others'])}`;
}

type Program = { language: string; name: string; file: string; runner: string };

function program({ language, name, file, runner }: Program, url: string | null): HtmlSafeString {
  return html`<details>
    <summary>${name}: receive and verify</summary>
    <p>Save this as <code>${file}</code>:</p>
    ${command(`receiver-${language}`, `receiver in ${name}`, readProgram('webhooks', language))}
    <p>Run it with the endpoint's secret:</p>
    ${command(`run-${language}`, `command that runs the ${name} receiver`, receiveCommand(runner, url))}
  </details>`;
}

function usageStep({ baseUrl, personId }: Props): HtmlSafeString {
  return html`<p>
      Your server says that somebody used the product. A test key gets the answer and records
      nothing; an app reports with the person's own token instead.
    </p>
    ${command('report', 'report', reportCommand({ baseUrl, personId }))}
    ${guides(['access', 'Access and usage'])}`;
}

function command(id: string, label: string, text: string): HtmlSafeString {
  return html`<p>${copyable({ id, label, text, isBlock: true })}</p>`;
}

function guides([name, label]: [name: string, label: string]): HtmlSafeString {
  return html`<p>
    <small>Guide: <a href="/docs/${name}">${label}</a></small>
  </p>`;
}

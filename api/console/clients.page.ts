import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  RegisteredClient,
  SecretView,
} from '../../domain/identity/oauth/client-console.store.ts';
import type { View } from '../route.ts';
import { formToken, instant } from '../views/layout.ts';
import { newClientForm, type Draft } from './new-client.page.ts';

/** Shown on this one page and never again. */
export type FreshSecret = { clientId: string; secret: string };

type Props = {
  product: { slug: string; name: string };
  clients: RegisteredClient[];
  /** Why nothing may be changed here. */
  obstacle: string | null;
  problem: string | null;
  fresh: FreshSecret | null;
  draft: Draft;
  formToken: string;
};

export function clientsPage(props: Props): View {
  const { product, clients, obstacle, problem, fresh } = props;
  return {
    title: `OAuth clients of ${product.name}`,
    content: html`
      <hgroup>
        <h1>OAuth clients</h1>
        <p><a href="/console">Console</a> - ${product.name}</p>
      </hgroup>
      ${obstacle === null ? '' : html`<p class="notice" role="status">${obstacle}</p>`}
      ${problem === null ? '' : html`<p class="notice" role="alert">${problem}</p>`}
      ${fresh === null ? '' : secretNotice(fresh)}
      ${
        clients.length === 0
          ? html`<p>None yet. A client lets people sign in to your product with their account.</p>`
          : clients.map((client) => clientCard(client, props))
      }
      ${obstacle === null ? newClientForm(props) : ''}
    `,
  };
}

function secretNotice({ clientId, secret }: FreshSecret) {
  return html`<article role="status" data-fresh="${clientId}">
    <p><strong>Copy the secret now: it is shown once.</strong></p>
    <p class="id"><code>${clientId}</code></p>
    <p class="id"><code>${secret}</code></p>
  </article>`;
}

function clientCard(client: RegisteredClient, { product, formToken: token, obstacle }: Props) {
  const { id, name, kind, isDisabled, sendsIss, redirectUris, secrets } = client;
  const action = `/console/products/${product.slug}/clients/${id}`;
  return html`<article data-client="${id}" data-state="${isDisabled ? 'disabled' : 'enabled'}">
    <hgroup>
      <h2>${name}</h2>
      <p>${kind}${isDisabled ? ', disabled' : ''}</p>
    </hgroup>
    <p class="id"><code>${id}</code></p>
    <h3>Redirect URIs</h3>
    <ul>
      ${redirectUris.map((uri) => html`<li class="id"><code>${uri}</code></li>`)}
    </ul>
    ${kind === 'confidential' ? secretList(secrets) : ''}
    ${
      obstacle === null
        ? html`<form method="post" action="${action}" class="actions">
            ${formToken(token)} ${kind === 'confidential' ? button('rotate', 'New secret') : ''}
            ${isDisabled ? button('enable', 'Enable') : button('disable', 'Disable')}
            ${sendsIss ? button('omit_iss', 'Stop sending iss') : button('send_iss', 'Send iss')}
            <details>
              <summary>Delete</summary>
              <p>Everybody is signed out of it at once, and this cannot be undone.</p>
              ${button('delete', 'Delete for good')}
            </details>
          </form>`
        : ''
    }
  </article>`;
}

function secretList(secrets: SecretView[]) {
  return html`<h3>Secrets</h3>
    <ul>
      ${secrets.map(
        ({ lastFour, expiresAt }) =>
          html`<li>
            <code>gcs_...${lastFour}</code>
            ${expiresAt === null ? '' : html`until ${instant(new Date(expiresAt))}`}
          </li>`,
      )}
    </ul>`;
}

function button(action: string, text: string): HtmlSafeString {
  return html`<button name="action" value="${action}" class="outline secondary">${text}</button>`;
}

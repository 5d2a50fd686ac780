import { html } from '@prairielearn/html';
import type { ProductView } from '../../domain/catalog/catalog.store.ts';
import type { KeyView } from '../../domain/catalog/key-list.store.ts';
import type { DeliveryView, EndpointView } from '../../domain/webhooks/delivery-list.store.ts';
import type { View } from '../route.ts';
import { instant } from '../views/layout.ts';

type LinkedDelivery = DeliveryView & { workflowUrl: string | null };

type Props = {
  products: ProductView[];
  keys: KeyView[];
  endpoints: EndpointView[];
  deliveries: LinkedDelivery[];
};

export function consolePage({ products, keys, endpoints, deliveries }: Props): View {
  return {
    title: 'Console',
    content: html`
      <h1>Console</h1>
      <p><a href="/console/verification">Being verified as a builder</a></p>
      ${
        products.length === 0
          ? html`<p>You have no products.</p>`
          : html`${products.map((product) =>
                productSection(product, {
                  keys: keys.filter(({ productId }) => productId === product.id),
                  endpoints: endpoints.filter(({ productId }) => productId === product.id),
                }),
              )}
              <h2>Recent deliveries</h2>
              ${deliveryTable(deliveries)}`
      }
    `,
  };
}

function productSection(
  product: ProductView,
  { keys, endpoints }: { keys: KeyView[]; endpoints: EndpointView[] },
) {
  return html`<article>
    <hgroup>
      <h2><a href="/p/${product.slug}">${product.name}</a></h2>
      <p><span data-state="${product.state}">${product.state}</span></p>
    </hgroup>
    <h3>API keys</h3>
    ${
      keys.length === 0
        ? html`<p class="muted">None.</p>`
        : html`<ul>
            ${keys.map(
              ({ name, mode, lastFour, expiresAt }) => html`
                <li>
                  ${name} <code>gk_${mode}_...${lastFour}</code>
                  ${expiresAt === null ? '' : html`until ${instant(expiresAt)}`}
                </li>
              `,
            )}
          </ul>`
    }
    <p><a href="/console/products/${product.slug}/clients">Sign-in: OAuth clients</a></p>
    <h3>Webhook endpoints</h3>
    ${
      endpoints.length === 0
        ? html`<p class="muted">None.</p>`
        : html`<ul>
            ${endpoints.map(
              ({ url, events, disabledAt }) => html`
                <li>
                  <span class="id">${url}</span>${disabledAt === null ? '' : ' (disabled)'}
                  <br /><small class="muted">${events.join(', ')}</small>
                </li>
              `,
            )}
          </ul>`
    }
  </article>`;
}

function deliveryTable(deliveries: LinkedDelivery[]) {
  if (deliveries.length === 0) return html`<p>None yet.</p>`;
  return html`<div class="overflow-auto" role="region" aria-label="Recent deliveries" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Event</th>
          <th scope="col">Product</th>
          <th scope="col">Status</th>
          <th scope="col">Answer</th>
          <th scope="col">Attempts</th>
        </tr>
      </thead>
      <tbody>
        ${deliveries.map(deliveryRow)}
      </tbody>
    </table>
  </div>`;
}

function deliveryRow(delivery: LinkedDelivery) {
  const { workflowUrl, lastStatusCode, lastError } = delivery;
  const answer = [lastStatusCode, lastError].filter((part) => part !== null).join(' ');
  return html`<tr data-delivery="${delivery.deliveryId}">
    <td>${instant(delivery.createdAt)}</td>
    <td>${delivery.eventName}</td>
    <td>${delivery.productName}</td>
    <td>
      ${delivery.status}
      ${workflowUrl === null ? '' : html`<a href="${workflowUrl}" rel="noreferrer">workflow</a>`}
    </td>
    <td>${answer}</td>
    <td>${delivery.attempts}</td>
  </tr>`;
}

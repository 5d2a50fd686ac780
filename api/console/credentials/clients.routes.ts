import { html } from '@prairielearn/html';
import { productRef } from '../../storefront/product-ref.ts';
import { defineRoute } from '../../route.ts';
import {
  changeAt,
  changeForm,
  clientParameter,
  newClientForm,
  redirectUrisForm,
  registerAt,
  saveRedirectUrisAt,
} from './client-actions.ts';
import { showArea, type ClientArea } from './client-routes.ts';
import { productHeading, productPath } from '../console-frame.ts';
import {
  auditEntryOn,
  integrationBlockReason,
  loadManaged,
  type ProductCall,
} from '../managed-product.ts';
import { FORM_ERRORS } from '../../errors.ts';

const path = '/console/products/:ref/clients';
const shared = {
  credential: 'session',
  limit: 'settings',
  errors: [...FORM_ERRORS, 'not_found'],
} as const;
const params = productRef.extend(clientParameter.shape);

export const showClients = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  path,
  summary: 'List OAuth clients',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(call) {
    return showArea(call, { area: await openArea(call) });
  },
});

export const createRegisteredClient = defineRoute({
  ...shared,
  method: 'POST',
  path,
  summary: 'Create an OAuth client',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: newClientForm } },
  statuses: [200, 303, 422],
  async handler(call) {
    return registerAt(call, await openArea(call));
  },
});

export const changeRegisteredClient = defineRoute({
  ...shared,
  method: 'POST',
  path: `${path}/:client`,
  summary: 'Rotate the secret of, disable, enable or delete an OAuth client',
  proof: ({ action }) => action === 'rotate',
  input: { params, body: { kind: 'form', shape: changeForm } },
  statuses: [200, 303, 422],
  async handler(call) {
    return changeAt(call, { area: await openArea(call), clientId: call.params.client });
  },
});

export const changeRedirectUris = defineRoute({
  ...shared,
  method: 'POST',
  path: `${path}/:client/redirect-uris`,
  summary: 'Change the redirect URIs of an OAuth client',
  proof: 'fresh',
  input: { params, body: { kind: 'form', shape: redirectUrisForm } },
  statuses: [303, 422],
  async handler(call) {
    return saveRedirectUrisAt(call, { area: await openArea(call), clientId: call.params.client });
  },
});

async function openArea(call: ProductCall): Promise<ClientArea> {
  const product = await loadManaged(call);
  const { id: productId, slug, name } = product;
  return {
    productId,
    path: `${productPath(slug)}/clients`,
    blockReason: integrationBlockReason(product),
    entry: auditEntryOn(call, product),
    emptyWords:
      'No clients yet. A client lets people sign in to your product with their Gatehouse account.',
    frame: (content) => ({
      title: `OAuth clients of ${name}`,
      content: html`
        ${productHeading(product, '/clients')}
        <h2>OAuth clients</h2>
        ${content}
      `,
    }),
  };
}

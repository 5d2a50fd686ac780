import { html } from '@prairielearn/html';
import { productRef } from '../../http/params.ts';
import { defineRoute } from '../../http/route.ts';
import {
  changeAt,
  changeForm,
  clientParameter,
  newClientForm,
  redirectUrisForm,
  registerAt,
  saveRedirectUrisAt,
} from './client-actions.ts';
import { showArea, type ClientArea } from './client-area.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { credentialRightsOf, loadManaged, type ProductCall } from '../managed-product.ts';
import { FORM_ERRORS } from '../../http/errors.ts';

const path = '/console/products/:ref/clients';
const shared = {
  credential: 'session',
  limit: 'settings',
  errors: [...FORM_ERRORS, 'not_found'],
} as const;
const params = productRef.extend(clientParameter.shape);

const showClients = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  path,
  summary: 'List OAuth clients',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(context) {
    return showArea(context, { area: await openArea(context) });
  },
});

const createRegisteredClient = defineRoute({
  ...shared,
  method: 'POST',
  path,
  summary: 'Create an OAuth client',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: newClientForm } },
  statuses: [303, 422],
  async handler(context) {
    return registerAt(context, await openArea(context));
  },
});

const changeRegisteredClient = defineRoute({
  ...shared,
  method: 'POST',
  path: `${path}/:client`,
  summary: 'Disable, enable or delete an OAuth client, or rotate its secret',
  proof: ({ action }) => action !== 'disable',
  input: { params, body: { kind: 'form', shape: changeForm } },
  statuses: [303, 422],
  async handler(context) {
    return changeAt(context, { area: await openArea(context), clientId: context.params.client });
  },
});

const changeRedirectUris = defineRoute({
  ...shared,
  method: 'POST',
  path: `${path}/:client/redirect-uris`,
  summary: 'Change the redirect URIs of an OAuth client',
  proof: 'fresh',
  input: { params, body: { kind: 'form', shape: redirectUrisForm } },
  statuses: [303, 422],
  async handler(context) {
    return saveRedirectUrisAt(context, {
      area: await openArea(context),
      clientId: context.params.client,
    });
  },
});

async function openArea(context: ProductCall): Promise<ClientArea> {
  const product = await loadManaged(context);
  const { id: productId, slug, name } = product;
  return {
    productId,
    path: `${productPath(slug)}/clients`,
    ...credentialRightsOf(context, product),
    emptyWords:
      'No clients yet. A client lets people sign in to your product with their Gatehouse account.',
    frame: (content) => ({
      title: `OAuth clients of ${name}`,
      ...productFrame(product, '/clients', 'OAuth clients'),
      content: html` ${content} `,
    }),
  };
}

export const routes = [
  showClients,
  createRegisteredClient,
  changeRegisteredClient,
  changeRedirectUris,
];

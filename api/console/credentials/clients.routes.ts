import { html } from '@prairielearn/html';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE, SESSION_FORM } from '../../http/route.ts';
import {
  changeAt,
  changeForm,
  clientParameter,
  newClientForm,
  redirectUrisForm,
  registerAt,
  saveRedirectUrisAt,
} from './client-actions.ts';
import { button } from '../../html/parts/button.ts';
import { NEW_CLIENT } from './new-client.page.ts';
import { showArea, type ClientArea } from './client-area.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { credentialRightsOf, loadManaged, type ProductCall } from '../managed-product.ts';

const path = '/console/products/:ref/clients';
const params = productRef.extend(clientParameter.shape);

const showClients = defineRoute({
  ...SESSION_PAGE,
  path,
  summary: 'List OAuth clients',
  input: { params: productRef },
  handler: async (context) => showArea(context, { area: await openArea(context) }),
});

const createRegisteredClient = defineRoute({
  ...SESSION_FORM,
  path,
  summary: 'Create an OAuth client',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: newClientForm } },
  handler: async (context) => registerAt(context, await openArea(context)),
});

const changeRegisteredClient = defineRoute({
  ...SESSION_FORM,
  path: `${path}/:client`,
  summary: 'Disable, enable or delete an OAuth client, or rotate its secret',
  proof: ({ action }) => action !== 'disable',
  input: { params, body: { kind: 'form', shape: changeForm } },
  handler: async (context) =>
    changeAt(context, { area: await openArea(context), clientId: context.params.client }),
});

const changeRedirectUris = defineRoute({
  ...SESSION_FORM,
  path: `${path}/:client/redirect-uris`,
  summary: 'Change the redirect URIs of an OAuth client',
  proof: 'fresh',
  input: { params, body: { kind: 'form', shape: redirectUrisForm } },
  handler: async (context) =>
    saveRedirectUrisAt(context, {
      area: await openArea(context),
      clientId: context.params.client,
    }),
});

async function openArea(context: ProductCall): Promise<ClientArea> {
  const product = await loadManaged(context);
  const { id: productId, slug, name } = product;
  const rights = credentialRightsOf(context, product);
  return {
    productId,
    path: `${productPath(slug)}/clients`,
    ...rights,
    emptyWords: 'A client lets people sign in to your product with their Gatehouse account.',
    frame: (content) => ({
      title: `Sign-in of ${name}`,
      ...productFrame(product, '/clients', 'Sign-in', {
        actions:
          rights.blockReason === null
            ? button({ text: 'Create client', icon: 'plus', href: `#${NEW_CLIENT}` })
            : '',
      }),
      content: html`<p>People sign in to your product with their Gatehouse account, by a client.</p>
        ${content}`,
    }),
  };
}

export const routes = [
  showClients,
  createRegisteredClient,
  changeRegisteredClient,
  changeRedirectUris,
];

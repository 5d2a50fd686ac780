import { html } from '@prairielearn/html';
import {
  changeAt,
  changeForm,
  clientParameter,
  newClientForm,
  redirectUrisForm,
  registerAt,
  saveRedirectUrisAt,
} from '../../console/credentials/client-actions.ts';
import { showArea, type ClientArea } from '../../console/credentials/client-area.ts';
import { defineRoute, OPERATOR_FORM, OPERATOR_PAGE } from '../../http/route.ts';
import { FIRST_PARTY, operatorPage } from '../operator.page.ts';

const FIRST_PARTY_AREA: ClientArea = {
  productId: null,
  path: FIRST_PARTY,
  blockReason: null,
  isTrial: false,
  emptyWords: 'A client lets people sign in to an app of the platform.',
  frame: (content) =>
    operatorPage({
      section: FIRST_PARTY,
      title: 'First-party clients',
      content: html`<p>
          The platform's own apps sign people in with these clients. First-party clients belong to
          no product, and only they can have the scope <code>mobile</code>.
        </p>
        ${content}`,
    }),
};

const showFirstPartyClients = defineRoute({
  ...OPERATOR_PAGE,
  path: FIRST_PARTY,
  summary: 'List first-party OAuth clients',
  input: {},
  handler: (context) => showArea(context, { area: FIRST_PARTY_AREA }),
});

const createFirstPartyClient = defineRoute({
  ...OPERATOR_FORM,
  path: FIRST_PARTY,
  summary: 'Create a first-party OAuth client',
  proof: 'fresh',
  input: { body: { kind: 'form', shape: newClientForm } },
  handler: (context) => registerAt(context, FIRST_PARTY_AREA),
});

const changeFirstPartyClient = defineRoute({
  ...OPERATOR_FORM,
  path: `${FIRST_PARTY}/:client`,
  summary: 'Disable, enable or delete a first-party OAuth client, or rotate its secret',
  proof: 'fresh',
  input: { params: clientParameter, body: { kind: 'form', shape: changeForm } },
  handler: (context) =>
    changeAt(context, { area: FIRST_PARTY_AREA, clientId: context.params.client }),
});

const changeFirstPartyUris = defineRoute({
  ...OPERATOR_FORM,
  path: `${FIRST_PARTY}/:client/redirect-uris`,
  summary: 'Change the redirect URIs of a first-party OAuth client',
  proof: 'fresh',
  input: { params: clientParameter, body: { kind: 'form', shape: redirectUrisForm } },
  handler: (context) =>
    saveRedirectUrisAt(context, { area: FIRST_PARTY_AREA, clientId: context.params.client }),
});

export const routes = [
  showFirstPartyClients,
  createFirstPartyClient,
  changeFirstPartyClient,
  changeFirstPartyUris,
];

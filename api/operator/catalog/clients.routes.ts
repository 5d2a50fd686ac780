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
import { countQueues } from '../../../domain/alerts/waiting.repository.ts';
import { defineRoute, OPERATOR_FORM, OPERATOR_PAGE, type RouteContext } from '../../http/route.ts';
import { FIRST_PARTY, operatorPage, withWaiting } from '../operator.page.ts';

function toArea({ services }: RouteContext): ClientArea {
  return {
    productId: null,
    path: FIRST_PARTY,
    blockReason: null,
    isTrial: false,
    emptyWords: 'A client lets people sign in to an app of the platform.',
    frame: async (content) =>
      withWaiting(
        operatorPage({
          section: FIRST_PARTY,
          title: 'First-party apps',
          lead: html`The platform's own apps sign people in with these OAuth clients. They belong to
            no product, and only they can have the scope <code>mobile</code>.`,
          content,
        }),
        await countQueues(services.database.em()),
      ),
  };
}

const showFirstPartyClients = defineRoute({
  ...OPERATOR_PAGE,
  path: FIRST_PARTY,
  summary: 'List first-party OAuth clients',
  input: {},
  handler: async (context) => showArea(context, { area: toArea(context) }),
});

const createFirstPartyClient = defineRoute({
  ...OPERATOR_FORM,
  path: FIRST_PARTY,
  summary: 'Create a first-party OAuth client',
  proof: 'fresh',
  input: { body: { kind: 'form', shape: newClientForm } },
  handler: async (context) => registerAt(context, toArea(context)),
});

const changeFirstPartyClient = defineRoute({
  ...OPERATOR_FORM,
  path: `${FIRST_PARTY}/:client`,
  summary: 'Disable, enable or delete a first-party OAuth client, or rotate its secret',
  proof: 'fresh',
  input: { params: clientParameter, body: { kind: 'form', shape: changeForm } },
  handler: async (context) =>
    changeAt(context, { area: toArea(context), clientId: context.params.client }),
});

const changeFirstPartyUris = defineRoute({
  ...OPERATOR_FORM,
  path: `${FIRST_PARTY}/:client/redirect-uris`,
  summary: 'Change the redirect URIs of a first-party OAuth client',
  proof: 'fresh',
  input: { params: clientParameter, body: { kind: 'form', shape: redirectUrisForm } },
  handler: async (context) =>
    saveRedirectUrisAt(context, { area: toArea(context), clientId: context.params.client }),
});

export const routes = [
  showFirstPartyClients,
  createFirstPartyClient,
  changeFirstPartyClient,
  changeFirstPartyUris,
];

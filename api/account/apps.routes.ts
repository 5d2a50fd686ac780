import { z } from 'zod';
import { listConnectedApps } from '../../domain/oauth/connected-apps.repository.ts';
import { revokeConsent } from '../../domain/oauth/connected-apps.command.ts';
import { isClientId } from '../../domain/shared/ids.ts';
import { page, redirect } from '../http/response.ts';
import { HttpError } from '../http/errors.ts';
import { defineRoute, SESSION_PAGE, SESSION_FORM } from '../http/route.ts';
import { appsPage } from './apps.page.ts';
import { sessionFormToken } from '../http/csrf.ts';
import { given, NO_FIELDS } from '../http/fields.ts';

const showApps = defineRoute({
  ...SESSION_PAGE,
  path: '/settings/apps',
  summary: 'List connected apps',
  input: {},
  async handler(context) {
    const { services, currentUser } = context;
    const apps = await listConnectedApps(services.database.em(), currentUser.personId);
    const formToken = sessionFormToken(context);
    return page(context, appsPage({ apps, formToken }));
  },
});

const revokeApp = defineRoute({
  ...SESSION_FORM,
  path: '/settings/apps/:client/revoke',
  summary: 'Revoke the access of an app',
  proof: 'none',
  limit: 'app_access',
  input: { params: z.object({ client: given(26) }), body: NO_FIELDS },
  async handler({ services, currentUser, params }) {
    const { personId } = currentUser;
    const clientId = params.client;
    if (!isClientId(clientId)) throw new HttpError('not_found');
    await revokeConsent(services.database.em(), { personId, clientId });
    return redirect('/settings/apps');
  },
});

export const routes = [showApps, revokeApp];

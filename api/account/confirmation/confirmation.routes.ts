import { keepChallenge } from '../../../domain/identity/passkeys/challenge.repository.ts';
import { listCredentialIds } from '../../../domain/identity/passkeys/passkey.repository.ts';
import { json, page } from '../../http/response.ts';
import { PASSKEY_POLICY } from '../../http/security-headers.ts';
import { defineRoute, SESSION_FORM } from '../../http/route.ts';
import { given, NO_FIELDS, formBody } from '../../http/fields.ts';
import { askForPasskey } from '../passkeys/ceremonies.ts';
import { LONGEST_RESPONSE } from '../passkeys/passkey-response.schema.ts';
import { findPendingTarget, leaveSignIn } from '../start-session.ts';
import { proveWithPasskey } from './fresh-proof.ts';
import { operatorPasskeyPage } from './operator-passkey.page.ts';

const offerConfirmation = defineRoute({
  ...SESSION_FORM,
  path: '/confirm/passkey/options',
  summary: 'Get the options for passkey confirmation',
  proof: 'none',
  input: { body: NO_FIELDS },
  async handler({ services, currentUser, cookies }) {
    const em = services.database.em();
    const known = await listCredentialIds(em, currentUser.personId);
    const options = await askForPasskey(services.config.baseUrl, known);
    const { challenge } = options;
    await keepChallenge(em, { cookie: cookies.session, use: 'assertion', challenge });
    return json(options);
  },
});

/**
 * Asks an operator who signed in with a password for a passkey, then redirects to the requested
 * page.
 */
const confirmWithPasskey = defineRoute({
  ...SESSION_FORM,
  path: '/confirm/passkey',
  summary: 'Confirm an operator with a passkey',
  proof: 'none',
  input: { body: formBody({ response: given(LONGEST_RESPONSE) }) },
  contentSecurityPolicy: PASSKEY_POLICY,
  async handler(context) {
    const proved = await proveWithPasskey(context, context.body.response);
    if (proved === null) {
      return page(context, await operatorPasskeyPage(context, { isRefused: true }), {
        status: 422,
      });
    }
    const target = (await findPendingTarget(context)) ?? '/operator';
    const response = await leaveSignIn(context, target);
    return { ...response, cookies: [...(response.cookies ?? []), proved.cookie] };
  },
});

export const routes = [offerConfirmation, confirmWithPasskey];

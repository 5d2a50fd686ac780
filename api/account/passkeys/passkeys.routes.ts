import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { findAccount } from '../../../domain/identity/account.repository.ts';
import { LONGEST_PASSWORD } from '../../../domain/identity/new-password.ts';
import { addPasskey, removePasskey } from '../../../domain/identity/passkeys/passkey.command.ts';
import {
  consumeChallenge,
  keepChallenge,
} from '../../../domain/identity/passkeys/challenge.repository.ts';
import {
  isEnrolmentOpen,
  listCredentialIds,
} from '../../../domain/identity/passkeys/passkey.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { json, page, redirect } from '../../http/response.ts';
import { HttpError, unauthorized } from '../../http/errors.ts';
import { PASSKEY_POLICY, SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { defineRoute, type RouteContext, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { given, text, uuid, formBody, NO_FIELDS } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { findPendingTarget, signInWith } from '../start-session.ts';
import { openForm } from '../../http/csrf.ts';
import { SECURITY } from '../settings/security.page.ts';
import { validateReauthentication } from '../settings/re-authentication.ts';
import { refuseSettings } from '../settings/security.routes.ts';
import { findDestination } from '../destination.ts';
import { signInPage } from '../sign-in.page.ts';
import { askForNewPasskey, askForPasskey, readNewPasskey } from './ceremonies.ts';
import { findPasskeyOwner } from './passkey-use.ts';
import { assertionField, registrationField } from './passkey-response.schema.ts';

const signingIn = {
  method: 'POST',
  credential: 'public',
  limit: 'sign_in',
} as const;

/** Answers the script of the page: a new way in needs the password. */
const offerNewPasskey = defineRoute({
  ...SESSION_FORM,
  path: `${SECURITY}/passkeys/options`,
  summary: 'Get the options for a new passkey',
  proof: 'none',
  input: { body: formBody({ password: given(LONGEST_PASSWORD).default('') }) },
  async handler(context) {
    const { services, body, currentUser, cookies } = context;
    await requireOwnEnrolment(context, currentUser);
    const problem = await validateReauthentication(context, currentUser, body.password);
    if (problem) throw new HttpError('forbidden', { message: problem });
    const em = services.database.em();
    const known = await listCredentialIds(em, currentUser.personId);
    const options = await askForNewPasskey(services.config.baseUrl, { person: currentUser, known });
    const { challenge } = options;
    await keepChallenge(em, { cookie: cookies.session, use: 'new_passkey', challenge });
    return json(options);
  },
});

const addOnePasskey = defineRoute({
  ...SESSION_FORM,
  path: `${SECURITY}/passkeys`,
  summary: 'Add a passkey',
  proof: 'none',
  input: { body: formBody({ name: text(80), response: registrationField }) },
  async handler(context) {
    const { services, body, currentUser, cookies } = context;
    const { personId, email: address, lacksPasskey: isEnrolment } = currentUser;
    const { baseUrl } = services.config;
    const { value: name, problem } = validateLine(body.name, 80);
    const key = { cookie: cookies.session, use: 'new_passkey' } as const;
    const open = await consumeChallenge(services.database.em(), key);
    const made =
      open && !problem
        ? await readNewPasskey(baseUrl, { answer: body.response, challenge: open.challenge })
        : null;
    if (!made) throw notAccepted();
    const change = { personId, token: cookies.session, address };
    const passkey = { ...made, name };
    const added = await addPasskey(services.database.em(), { ...change, passkey, isEnrolment });
    if (!isRefusal(added)) return redirect(withNotice(SECURITY, 'passkey_added'));
    if (added.refused === 'session_ended') throw unauthorized({ wasGiven: false });
    throw added.refused === 'not_enrolling' ? operatorsNeedPasskey() : notAccepted();
  },
});

const removeOnePasskey = defineRoute({
  ...SESSION_FORM,
  path: `${SECURITY}/passkeys/remove`,
  summary: 'Remove a passkey',
  proof: 'none',
  input: { body: formBody({ passkey_id: uuid(), password: given(LONGEST_PASSWORD).default('') }) },
  contentSecurityPolicy: PASSKEY_POLICY,
  async handler(context) {
    const { services, body, currentUser, cookies } = context;
    const { personId, email: address } = currentUser;
    if (currentUser.lacksPasskey) throw operatorsNeedPasskey();
    const problem = await validateReauthentication(context, currentUser, body.password);
    const refuse = (passkey: string | null) =>
      refuseSettings(context, currentUser, { typed: {}, problems: { passkey } });
    if (problem) return refuse(problem);
    const change = { personId, token: cookies.session, address };
    const removed = await removePasskey(services.database.em(), {
      ...change,
      passkeyId: body.passkey_id,
    });
    if (!isRefusal(removed)) return redirect(withNotice(SECURITY, 'passkey_removed'));
    if (removed.refused === 'session_ended') throw unauthorized({ wasGiven: false });
    return refuse(explain(removed.refused));
  },
});

/**
 * An operator who signed in with a password may add a passkey only while the first enrolment is
 * open.
 */
async function requireOwnEnrolment(
  { services }: RouteContext,
  currentUser: CurrentUser,
): Promise<void> {
  const { lacksPasskey, personId } = currentUser;
  if (!lacksPasskey || (await isEnrolmentOpen(services.database.em(), personId))) return;
  throw operatorsNeedPasskey();
}

function operatorsNeedPasskey(): HttpError {
  const message = 'Sign in with one of your passkeys before you change them.';
  const next = { path: '/operator', label: 'Confirm with a passkey' };
  return new HttpError('forbidden', { message, next });
}

function notAccepted(): HttpError {
  return new HttpError('invalid_request', { message: 'This passkey was not accepted.' });
}

const offerPasskeySignIn = defineRoute({
  ...signingIn,
  path: '/sign-in/passkey/options',
  summary: 'Get the options for passkey sign-in',
  input: { body: NO_FIELDS },
  async handler({ services, cookies }) {
    const options = await askForPasskey(services.config.baseUrl);
    const { challenge } = options;
    const key = { cookie: cookies.preSession, use: 'assertion' } as const;
    await keepChallenge(services.database.em(), { ...key, challenge });
    return json(options);
  },
});

const signInWithPasskey = defineRoute({
  ...signingIn,
  path: '/sign-in/passkey',
  summary: 'Sign in with a passkey',
  input: { body: formBody({ response: assertionField }) },
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { response: answer } = context.body;
    const personId = await findPasskeyOwner(context, {
      cookie: context.cookies.preSession,
      answer,
    });
    const em = context.services.database.em();
    const account = personId === null ? null : await findAccount(em, personId);
    const credential = { credentialId: answer.id };
    const signedIn = account && (await signInWith(context, { account, credential }));
    if (signedIn === null) {
      const { token, cookies } = openForm(context);
      const destination = await findDestination(context);
      const view = signInPage({ formToken: token, isPasskeyRefused: true, destination });
      return page(context, view, { status: 422, cookies });
    }
    const target = (await findPendingTarget(context)) ?? '/';
    return redirect(target, { cookies: signedIn });
  },
});

export const routes = [
  offerPasskeySignIn,
  signInWithPasskey,
  offerNewPasskey,
  addOnePasskey,
  removeOnePasskey,
];

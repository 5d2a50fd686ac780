import { z } from 'zod';
import { LONGEST_PASSWORD } from '../../../domain/identity/new-password.ts';
import {
  consumeChallenge,
  findPasskey,
  insertPasskey,
  keepChallenge,
  listCredentialIds,
  recordPasskeyUse,
  removePasskey,
} from '../../../domain/identity/passkeys/passkey.store.ts';
import { endAddressChanges, queueMail } from '../../../domain/identity/mail/mail.store.ts';
import { isRefusal } from '../../../domain/platform/refusal.ts';
import { judgeDisplayName } from '../../../domain/identity/person-fields.ts';
import { json, page, redirect } from '../../answer.ts';
import { FORM_ERRORS, Failure } from '../../errors.ts';
import { PASSKEY_POLICY, SIGN_IN_POLICY } from '../../middleware/security-headers.ts';
import { defineRoute, type AnyCall } from '../../route.ts';
import { withNotice } from '../../views/notices.ts';
import { explain, given, text, uuid } from '../fields.ts';
import { findPendingTarget, openForm, requireLiveSession, signInWith } from '../sessions.ts';
import { SECURITY } from '../settings/security.page.ts';
import { judgeOwner } from '../settings/owner-proof.ts';
import { refuseSettings } from '../settings/security.routes.ts';
import { signInPage } from '../sign-in.page.ts';
import { askForNewPasskey, askForPasskey, readNewPasskey, readPasskeyUse } from './ceremonies.ts';
import {
  assertionField,
  registrationField,
  type AssertionAnswer,
} from './passkey-response.schema.ts';

const settings = {
  method: 'POST',
  credential: 'session',
  limit: 'settings',
  errors: FORM_ERRORS,
} as const;

const signingIn = {
  method: 'POST',
  credential: 'public',
  limit: 'sign_in',
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
} as const;

/** For the script of the page: a new way in needs the password. */
export const offerNewPasskey = defineRoute({
  ...settings,
  path: `${SECURITY}/passkeys/options`,
  summary: 'What an authenticator needs to make a passkey',
  input: {
    body: { kind: 'form', shape: z.object({ password: given(LONGEST_PASSWORD).default('') }) },
  },
  statuses: [200],
  async handler(call) {
    const { services, body, visitor, cookies } = call;
    const problem = await judgeOwner(call, visitor, body.password);
    if (problem) throw new Failure('forbidden', { message: problem });
    const em = services.database.em();
    const known = await listCredentialIds(em, visitor.personId);
    const options = await askForNewPasskey(services.config.baseUrl, { person: visitor, known });
    await keepChallenge(em, { cookie: cookies.session ?? '', challenge: options.challenge });
    return json(options);
  },
});

export const addPasskey = defineRoute({
  ...settings,
  path: `${SECURITY}/passkeys`,
  summary: 'Add a passkey',
  input: {
    body: { kind: 'form', shape: z.object({ name: text(80), response: registrationField }) },
  },
  statuses: [303],
  async handler(call) {
    const { services, body, visitor, cookies } = call;
    const { personId } = visitor;
    const { baseUrl } = services.config;
    const { value: name, problem } = judgeDisplayName(body.name);
    const asked = await consumeChallenge(services.database.em(), cookies.session ?? '');
    const made =
      asked && !problem
        ? await readNewPasskey(baseUrl, { answer: body.response, challenge: asked.challenge })
        : null;
    const passkey = made && { ...made, name, personId };
    const isAdded =
      passkey &&
      (await services.database.transaction(async (em) => {
        await requireLiveSession(call, { em, personId });
        const isNew = await insertPasskey(em, passkey);
        if (isNew)
          await queueMail(em, { purpose: 'passkey_added', personId, address: visitor.email });
        return isNew;
      }));
    if (!isAdded) {
      throw new Failure('invalid_request', { message: 'This passkey was not accepted.' });
    }
    return redirect(withNotice(SECURITY, 'passkey_added'));
  },
});

export const removeOnePasskey = defineRoute({
  ...settings,
  path: `${SECURITY}/passkeys/remove`,
  summary: 'Remove a passkey',
  input: {
    body: {
      kind: 'form',
      shape: z.object({ passkey_id: uuid(), password: given(LONGEST_PASSWORD).default('') }),
    },
  },
  statuses: [303, 422],
  contentSecurityPolicy: PASSKEY_POLICY,
  async handler(call) {
    const { services, body, visitor } = call;
    const { personId, email: address } = visitor;
    const problem = await judgeOwner(call, visitor, body.password);
    if (problem) return refuseSettings(call, visitor, { problems: { passkey: problem } });
    const removed = await services.database.transaction(async (em) => {
      await requireLiveSession(call, { em, personId });
      const removed = await removePasskey(em, { personId, passkeyId: body.passkey_id });
      if (isRefusal(removed) || !removed.isRemoved) return removed;
      await endAddressChanges(em, personId);
      await queueMail(em, { purpose: 'passkey_removed', personId, address });
      return removed;
    });
    if (isRefusal(removed)) {
      return refuseSettings(call, visitor, { problems: { passkey: explain(removed.refused) } });
    }
    return redirect(withNotice(SECURITY, 'passkey_removed'));
  },
});

export const offerPasskeySignIn = defineRoute({
  ...signingIn,
  path: '/sign-in/passkey/options',
  summary: 'What an authenticator needs to sign somebody in',
  input: { body: { kind: 'form', shape: z.object({}) } },
  statuses: [200],
  async handler({ services, cookies }) {
    const options = await askForPasskey(services.config.baseUrl);
    const { challenge } = options;
    await keepChallenge(services.database.em(), { cookie: cookies.preSession ?? '', challenge });
    return json(options);
  },
});

export const signInWithPasskey = defineRoute({
  ...signingIn,
  path: '/sign-in/passkey',
  summary: 'Sign in with a passkey',
  input: { body: { kind: 'form', shape: z.object({ response: assertionField }) } },
  statuses: [303, 422],
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(call) {
    const { response } = call.body;
    const personId = await findOwner(call, response);
    const signedIn =
      personId === null ? null : await signInWith(call, { personId, credentialId: response.id });
    if (signedIn === null) {
      const { token, cookies } = openForm(call);
      const view = signInPage({ formToken: token, isPasskeyRefused: true });
      return page(call, view, { status: 422, cookies });
    }
    const target = (await findPendingTarget(call)) ?? '/';
    return redirect(target, { cookies: signedIn });
  },
});

/** Whose passkey has answered our challenge; null when it does not count. */
async function findOwner({ services, cookies }: AnyCall, answer: AssertionAnswer) {
  const em = services.database.em();
  const asked = await consumeChallenge(em, cookies.preSession ?? '');
  if (!asked || asked.newcomerId !== null) return null;
  const { challenge } = asked;
  const passkey = await findPasskey(em, answer.id);
  if (!passkey) return null;
  const { baseUrl } = services.config;
  const use = await readPasskeyUse(baseUrl, { answer, challenge, passkey });
  if (!use) return null;
  const isNewer = await recordPasskeyUse(em, { credentialId: answer.id, counter: use.counter });
  return isNewer ? passkey.personId : null;
}

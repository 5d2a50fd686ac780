import { z } from 'zod';
import { describeDevice } from '../../../domain/identity/device.ts';
import {
  consumeChallenge,
  keepChallenge,
} from '../../../domain/identity/passkeys/challenge.repository.ts';
import { signUp } from '../../../domain/identity/sign-up/sign-up.command.ts';
import { newCredential, newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { json, page, redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { PASSKEY_POLICY } from '../../http/security-headers.ts';
import { defineRoute, type RouteContext, OPEN_PAGE } from '../../http/route.ts';
import { findDestination } from '../destination.ts';
import { given, formBody } from '../../http/fields.ts';
import { askForNewPasskey, readNewPasskey } from '../passkeys/ceremonies.ts';
import { LONGEST_RESPONSE, registrationField } from '../passkeys/passkey-response.schema.ts';
import { openForm } from '../../http/csrf.ts';
import {
  findProblems,
  HANDLE_TAKEN,
  validateRegistration,
  leadToMail,
  registrationFields,
  NOBODY,
  type RegistrationProblems,
  type RegistrationValues,
} from './registration.ts';
import { PASSKEY_SIGN_UP, passkeySignUpPage } from './passkey-sign-up.page.ts';

const shared = {
  method: 'POST',
  credential: 'public',
  limit: 'sign_up',
  contentSecurityPolicy: PASSKEY_POLICY,
} as const;

type PageState = {
  values: RegistrationValues;
  problems?: RegistrationProblems;
  isPasskeyMissing?: boolean;
};

const showPasskeySignUp = defineRoute({
  ...shared,
  ...OPEN_PAGE,
  path: PASSKEY_SIGN_UP,
  summary: 'Show the passkey sign-up form',
  input: {},
  handler: (context) => (context.currentUser ? redirect('/') : show(context, { values: NOBODY })),
});

/** Answers the script of the page: fields that cannot be taken are 422, and the form says why. */
const offerFirstPasskey = defineRoute({
  ...shared,
  path: `${PASSKEY_SIGN_UP}/options`,
  summary: 'Get the options for passkey sign-up',
  input: { body: { kind: 'form', shape: z.object(registrationFields) } },
  async handler(context) {
    const { services, body, cookies } = context;
    const em = services.database.em();
    const validated = validateRegistration(body);
    const problems = await findProblems(context, validated);
    if (problems) return json(problems, { status: 422 });
    const registrationId = newUuid();
    const options = await askForNewPasskey(services.config.baseUrl, {
      person: { personId: registrationId, ...validated.values },
      known: [],
    });
    const { challenge } = options;
    const key = { cookie: cookies.preSession, use: 'new_passkey' } as const;
    await keepChallenge(em, { ...key, challenge, registrationId });
    return json(options);
  },
});

const signUpWithPasskey = defineRoute({
  ...shared,
  path: PASSKEY_SIGN_UP,
  summary: 'Sign up with a passkey',
  input: { body: formBody({ ...registrationFields, response: given(LONGEST_RESPONSE) }) },
  async handler(context) {
    const { services, body } = context;
    const validated = validateRegistration(body);
    const { values } = validated;
    const problems = await findProblems(context, validated);
    if (problems) return show(context, { values, problems });
    const made = await readFirstPasskey(context, body.response);
    if (!made) return show(context, { values, isPasskeyMissing: true });
    const { registrationId: id, passkey } = made;
    const signUpCookie = context.cookies.signUp ?? newCredential('gs_');
    const person = { id, ...values, signUpCookie, passwordHash: null };
    const { database } = services;
    const signedUp = await signUp(database.em(), { person, passkey, pool: database.pool });
    if (!isRefusal(signedUp)) {
      return leadToMail(context, { cookie: signUpCookie, address: values.email });
    }
    if (signedUp.refused === 'handle_taken') {
      return show(context, { values, problems: HANDLE_TAKEN });
    }
    const message = 'This passkey already belongs to an account.';
    throw new HttpError('invalid_request', { message });
  },
});

/** The passkey that answers the challenge of this registration, under the name of their device. */
async function readFirstPasskey({ ctx, services, cookies }: RouteContext, response: string) {
  const key = { cookie: cookies.preSession, use: 'new_passkey' } as const;
  const open = await consumeChallenge(services.database.em(), key);
  const { data: answer } = registrationField.safeParse(response);
  if (!open?.registrationId || !answer) return null;
  const { challenge, registrationId } = open;
  const made = await readNewPasskey(services.config.baseUrl, { answer, challenge });
  const name = describeDevice(ctx.get('user-agent'));
  return made && { registrationId, passkey: { ...made, name } };
}

async function show(
  context: RouteContext,
  { values, problems = {}, isPasskeyMissing = false }: PageState,
) {
  const { token, cookies } = openForm(context);
  const destination = await findDestination(context);
  const shown = { values, problems, isPasskeyMissing, destination };
  const view = passkeySignUpPage({ formToken: token, ...shown });
  const isRefused = isPasskeyMissing || Object.values(problems).some(Boolean);
  return page(context, view, { cookies, ...(isRefused ? { status: 422 } : {}) });
}

export const routes = [showPasskeySignUp, offerFirstPasskey, signUpWithPasskey];

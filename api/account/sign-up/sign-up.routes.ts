import { z } from 'zod';
import { LONGEST_PASSWORD, validatePassword } from '../../../domain/identity/new-password.ts';
import { hashFirstPassword } from '../../../domain/identity/password.ts';
import { signUp } from '../../../domain/identity/sign-up/sign-up.command.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { callerTurn } from '../../http/caller-address.ts';
import { defineRoute, type RouteContext, OPEN_PAGE } from '../../http/route.ts';
import { findDestination } from '../destination.ts';
import { given } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { openForm } from '../../http/csrf.ts';
import {
  findProblems,
  HANDLE_TAKEN,
  validateRegistration,
  leadToMail,
  registrationFields,
  NOBODY,
  type RegistrationValues,
} from './registration.ts';
import { signUpPage, type SignUpProblems } from './sign-up.page.ts';

const signUpForm = z.object({ ...registrationFields, password: given(LONGEST_PASSWORD) });

const showSignUp = defineRoute({
  ...OPEN_PAGE,
  path: '/sign-up',
  summary: 'Show the sign-up form',
  input: {},
  handler: (context) =>
    context.currentUser ? redirect('/') : showForm(context, { values: NOBODY, problems: {} }),
});

const signUpWithPassword = defineRoute({
  method: 'POST',
  path: '/sign-up',
  summary: 'Sign up',
  credential: 'public',
  limit: 'sign_up',
  input: { body: { kind: 'form', shape: signUpForm } },
  async handler(context) {
    const { ctx, services, body } = context;
    const validated = validate(body);
    const { values } = validated;
    const problems = await findProblems(context, validated);
    if (problems) return refuseForm(context, values, problems);
    const signUpCookie = context.cookies.signUp ?? newCredential('gs_');
    const person = {
      ...values,
      signUpCookie,
      passwordHash: await hashFirstPassword(body.password, callerTurn(ctx.ip)),
    };
    const { database } = services;
    const input = { person, passkey: null, pool: database.pool };
    return isRefusal(await signUp(database.em(), input))
      ? refuseForm(context, values, HANDLE_TAKEN)
      : leadToMail(context, { cookie: signUpCookie, address: values.email });
  },
});

function validate(body: z.infer<typeof signUpForm>) {
  const { values, problems } = validateRegistration(body);
  const about = [values.handle, values.displayName, values.email, values.email.split('@')[0] ?? ''];
  const password = explain(validatePassword(body.password, about));
  return { values, problems: { ...problems, password } };
}

function refuseForm(context: RouteContext, values: RegistrationValues, problems: SignUpProblems) {
  return showForm(context, { values, problems }, 422);
}

async function showForm(
  context: RouteContext,
  shown: { values: RegistrationValues; problems: SignUpProblems },
  status = 200,
) {
  const { token, cookies } = openForm(context);
  const destination = await findDestination(context);
  const view = signUpPage({ formToken: token, ...shown, destination });
  return page(context, view, { status, cookies });
}

export const routes = [showSignUp, signUpWithPassword];

import { z } from 'zod';
import {
  findAccountByEmail,
  insertPerson,
  isHandleTaken,
  type NewPerson,
} from '../../domain/identity/account.store.ts';
import { queueLimitedMail } from '../../domain/identity/mail/mail.store.ts';
import { judgePassword } from '../../domain/identity/new-password.ts';
import { hashPassword } from '../../domain/identity/password.ts';
import { judgeDisplayName, judgeEmail, judgeHandle } from '../../domain/identity/person-fields.ts';
import type { EntityManager } from '../../domain/platform/database.ts';
import { refuse, type Refusal } from '../../domain/platform/refusal.ts';
import { page, redirect } from '../answer.ts';
import { defineRoute, type AnyCall } from '../route.ts';
import { explain, given, text } from './fields.ts';
import { openForm } from './sessions.ts';
import { signUpPage, type SignUpProblems, type SignUpValues } from './sign-up.page.ts';

const signUpForm = z.object({ email: text, handle: text, display_name: text, password: given });

export const showSignUp = defineRoute({
  method: 'GET',
  path: '/sign-up',
  summary: 'Sign-up form',
  credential: 'visitor',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  handler(call) {
    if (call.visitor) return redirect('/');
    const { token, cookies } = openForm(call);
    const values = { email: '', handle: '', displayName: '' };
    return page(call, signUpPage({ formToken: token, values, problems: {} }), { cookies });
  },
});

export const signUp = defineRoute({
  method: 'POST',
  path: '/sign-up',
  summary: 'Make an account; its address is confirmed by mail',
  credential: 'public',
  limit: 'sign_up',
  input: { body: { kind: 'form', shape: signUpForm } },
  statuses: [303, 422],
  errors: ['invalid_request', 'forbidden', 'rate_limited', 'unavailable'],
  async handler(call) {
    const { services, body } = call;
    const { values, problems } = judge(body);
    const taken = { handle: explain('taken') };
    if (Object.values(problems).some(Boolean)) return refuseForm(call, values, problems);
    if (await isHandleTaken(services.database.em(), values.handle)) {
      return refuseForm(call, values, taken);
    }
    const passwordHash = await hashPassword(body.password);
    const answer = await services.database.transaction((em) =>
      makeAccount(em, { ...values, passwordHash }),
    );
    return answer === null ? redirect('/check-mail') : refuseForm(call, values, taken);
  },
});

function judge(body: z.infer<typeof signUpForm>) {
  const email = judgeEmail(body.email);
  const handle = judgeHandle(body.handle);
  const name = judgeDisplayName(body.display_name);
  const values = { email: email.value, handle: handle.value, displayName: name.value };
  const about = [values.handle, values.displayName, values.email, values.email.split('@')[0] ?? ''];
  const problems: SignUpProblems = {
    email: explain(email.problem),
    handle: explain(handle.problem),
    displayName: explain(name.problem),
    password: explain(judgePassword(body.password, about)),
  };
  return { values, problems };
}

/** To somebody who has an account already the mail says so, and the page says what it always says. */
async function makeAccount(
  em: EntityManager,
  person: NewPerson,
): Promise<Refusal<'handle_taken'> | null> {
  const { email: address } = person;
  const personId = await insertPerson(em, person);
  if (personId !== null) {
    await queueLimitedMail(em, { purpose: 'verify_email', personId, address });
    return null;
  }
  const known = await findAccountByEmail(em, address);
  if (!known) return refuse('handle_taken');
  const mail = {
    purpose: 'known_address',
    personId: known.personId,
    address: known.email,
  } as const;
  await queueLimitedMail(em, mail);
  return null;
}

function refuseForm(call: AnyCall, values: SignUpValues, problems: SignUpProblems) {
  const { token, cookies } = openForm(call);
  const view = signUpPage({ formToken: token, values, problems });
  return page(call, view, { status: 422, cookies });
}

// Signs a person up with a password or a passkey: validates the fields and makes the account.
import { z } from 'zod';
import { findAccountByEmail } from '../../../domain/identity/account.repository.ts';
import { queueLimitedMail } from '../../../domain/identity/mail/mail-link.repository.ts';
import {
  insertPasskey,
  type NewPasskey,
} from '../../../domain/identity/passkeys/passkey.repository.ts';
import {
  validateDisplayName,
  validateEmail,
  validateHandle,
} from '../../../domain/identity/person-fields.ts';
import {
  findSignUp,
  freeHandle,
  insertPerson,
  isHandleTaken,
  type NewPerson,
} from '../../../domain/identity/sign-up/sign-up.repository.ts';
import type { ThrottledWork } from '../../../domain/limits/throttle.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../../domain/shared/refusal.ts';
import { redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import type { HttpResponse, RouteContext } from '../../http/route.ts';
import { signUpCookie } from '../../http/cookies.ts';
import { text } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { CHECK_MAIL } from '../mail-links/check-mail.page.ts';
import { enteredCookie } from '../mail-links/entered-address.ts';

export type RegistrationValues = { email: string; handle: string; displayName: string };
export type RegistrationProblems = Partial<Record<keyof RegistrationValues, string | null>>;

export const registrationFields = { email: text(254), handle: text(24), display_name: text(80) };
const registration = z.object(registrationFields);

export const NOBODY: RegistrationValues = { email: '', handle: '', displayName: '' };
export const HANDLE_TAKEN: RegistrationProblems = { handle: explain('taken') };

export function validateRegistration(body: z.infer<typeof registration>) {
  const email = validateEmail(body.email);
  const handle = validateHandle(body.handle);
  const name = validateDisplayName(body.display_name);
  const values: RegistrationValues = {
    email: email.value,
    handle: handle.value,
    displayName: name.value,
  };
  const problems: RegistrationProblems = {
    email: explain(email.problem),
    handle: explain(handle.problem),
    displayName: explain(name.problem),
  };
  return { values, problems };
}

/** Returns the validation messages, including one for a taken handle; null without any. */
export async function findProblems<Problems extends RegistrationProblems>(
  { services, cookies }: RouteContext,
  { values, problems }: { values: RegistrationValues; problems: Problems },
): Promise<Problems | RegistrationProblems | null> {
  if (Object.values(problems).some(Boolean)) return problems;
  const asked = { handle: values.handle, signUpCookie: cookies.signUp };
  return (await isHandleTaken(services.database.em(), asked)) ? HANDLE_TAKEN : null;
}

type NewAccount = {
  person: NewPerson & { signUpCookie: string };
  passkey?: Omit<NewPasskey, 'personId'>;
};

/**
 * Mails the owner, if the address has an account, and still reserves the handle and the passkey.
 * The visible result is the same, so the form does not reveal accounts. Other sign-ups that wait
 * for the address change nothing: the mailbox decides between them.
 */
export async function makeAccount(
  work: ThrottledWork,
  { person, passkey }: NewAccount,
): Promise<Refusal<'handle_taken'> | null> {
  const { em } = work;
  const { signUpCookie } = person;
  await freeHandle(em, person);
  const known = await findAccountByEmail(em, person.email);
  const personId = await insertPerson(em, person, { isHeld: known !== null });
  if (personId === null) return refuse('handle_taken');
  if (passkey) await addFirstPasskey(em, { ...passkey, personId });
  const mail = known
    ? ({ purpose: 'known_address', personId: known.personId, address: known.email } as const)
    : ({ purpose: 'verify_email', personId, address: person.email } as const);
  await queueLimitedMail(work, { ...mail, signUpCookie });
  return null;
}

/** Sends the mail of a sign-up again, the one that the sign-up caused. */
export async function sendSignUpMail(
  work: ThrottledWork,
  { address, signUpCookie }: { address: string; signUpCookie: string | null },
): Promise<void> {
  const { em } = work;
  // The same statements for every address.
  const known = await findAccountByEmail(em, address);
  const signUp = await findSignUp(em, { address, signUpCookie });
  const { personId, email } = known ?? signUp ?? { personId: null, email: address };
  const purpose = known ? 'known_address' : 'verify_email';
  await queueLimitedMail(work, { purpose, personId, address: email, signUpCookie });
}

/**
 * Redirects every registration alike. Only the registering browser's cookie tells the
 * registrations apart.
 */
export async function leadToMail(
  { services: { database, signer } }: Pick<RouteContext, 'services'>,
  { cookie, address }: { cookie: string; address: string },
): Promise<HttpResponse> {
  const sentAtMs = (await now(database.em())).getTime();
  const entered = enteredCookie(signer, { address, form: 'sign_up', sentAtMs });
  return redirect(CHECK_MAIL, { cookies: [signUpCookie(cookie), entered] });
}

/**
 * Throws if the passkey exists already: an account without a passkey or password cannot sign in.
 */
async function addFirstPasskey(em: EntityManager, passkey: NewPasskey): Promise<void> {
  if (await insertPasskey(em, passkey)) return;
  const message = 'This passkey already belongs to an account.';
  throw new HttpError('invalid_request', { message });
}

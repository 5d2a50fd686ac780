// The form of a sign-up, with a password or a passkey.
import { z } from 'zod';
import {
  validateDisplayName,
  validateEmail,
  validateHandle,
} from '../../../domain/identity/person-fields.ts';
import { isHandleTaken } from '../../../domain/identity/sign-up/sign-up.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { redirect } from '../../http/response.ts';
import type { RouteContext } from '../../http/route.ts';
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
  const request = { handle: values.handle, signUpCookie: cookies.signUp };
  return (await isHandleTaken(services.database.em(), request)) ? HANDLE_TAKEN : null;
}

/**
 * Redirects every registration alike. Only the registering browser's cookie tells the
 * registrations apart.
 */
export async function leadToMail(
  { services: { database, signer } }: Pick<RouteContext, 'services'>,
  { cookie, address }: { cookie: string; address: string },
) {
  const sentAtMs = (await now(database.em())).getTime();
  const entered = enteredCookie(signer, { address, form: 'sign_up', sentAtMs });
  return redirect(CHECK_MAIL, { cookies: [signUpCookie(cookie), entered] });
}

import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { form, type Field } from '../../html/form.ts';
import { pendingNotice, type Destination } from '../destination.ts';
import type { RegistrationProblems, RegistrationValues } from './registration.ts';

export type SignUpProblems = RegistrationProblems & { password?: string | null };

type Props = {
  formToken: string;
  values: RegistrationValues;
  problems: SignUpProblems;
  /** What sent the person here. */
  destination: Destination | null;
};

export function signUpPage({ formToken: token, values, problems, destination }: Props): View {
  const password: Field = {
    label: 'Password',
    name: 'password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 12 characters.',
    problem: problems.password,
  };
  return {
    title: 'Sign up',
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow">
        <h1>Sign up</h1>
        ${pendingNotice('Sign up', destination)}
        ${form({
          action: '/sign-up',
          token,
          button: 'Sign up',
          isMain: true,
          fields: [...fieldsOfRegistration(values, problems), password],
        })}
        <p><a href="/sign-up/passkey">Sign up with a passkey instead</a></p>
        <p>Already have an account? <a href="/sign-in">Sign in</a></p>
      </div>
    `,
  };
}

export function fieldsOfRegistration(
  values: RegistrationValues,
  problems: RegistrationProblems,
): Field[] {
  return [
    {
      label: 'Email',
      name: 'email',
      type: 'email',
      value: values.email,
      autocomplete: 'username',
      problem: problems.email,
    },
    ...nameFields(values, problems),
  ];
}

/** Shows the name fields of the sign-up and of the profile. */
export function nameFields(
  values: Pick<RegistrationValues, 'handle' | 'displayName'>,
  problems: Pick<RegistrationProblems, 'handle' | 'displayName'>,
): Field[] {
  return [
    {
      label: 'Handle',
      name: 'handle',
      value: values.handle,
      autocomplete: 'nickname',
      hint: 'Your public short name: 3 to 24 lowercase letters, digits and underscores.',
      problem: problems.handle,
    },
    {
      label: 'Display name',
      name: 'display_name',
      value: values.displayName,
      autocomplete: 'name',
      problem: problems.displayName,
    },
  ];
}

import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import type { Field } from '../../html/parts/field.ts';
import { button } from '../../html/parts/button.ts';
import { oneStepPage } from '../one-step.ts';
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
  return oneStepPage({
    title: 'Sign up',
    destination,
    lede: html`${pendingNotice('Sign up', destination)}`,
    content: html`
      ${form({
        action: '/sign-up',
        token,
        button: 'Sign up',
        isMain: true,
        fields: [...fieldsOfRegistration(values, problems), password],
      })}
      <p class="or">or</p>
      ${button({
        text: 'Sign up with a passkey',
        icon: 'fingerprint',
        size: 'large',
        href: '/sign-up/passkey',
      })}
    `,
    below: html`<p>Already have an account? <a href="/sign-in">Sign in</a></p>`,
  });
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

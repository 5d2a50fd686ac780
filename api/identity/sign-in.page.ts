import { html } from '@prairielearn/html';
import type { View } from '../route.ts';
import { formToken } from '../views/layout.ts';

export function signInPage(props: { formToken: string; refusedEmail?: string }): View {
  const { refusedEmail } = props;
  const isRefused = refusedEmail !== undefined;
  const marks = isRefused ? html`aria-invalid="true" aria-describedby="problem"` : '';
  return {
    title: 'Sign in',
    content: html`
      <div class="narrow">
        <h1>Sign in</h1>
        ${
          isRefused
            ? html`<p id="problem" class="notice" role="alert">
                The e-mail address or the password is not right.
              </p>`
            : ''
        }
        <form method="post" action="/sign-in">
          ${formToken(props.formToken)}
          <label>
            E-mail
            <input
              type="email"
              name="email"
              value="${refusedEmail ?? ''}"
              autocomplete="username"
              required
              ${marks}
            />
          </label>
          <label>
            Password
            <input
              type="password"
              name="password"
              autocomplete="current-password"
              required
              ${marks}
            />
          </label>
          <button type="submit">Sign in</button>
        </form>
      </div>
    `,
  };
}

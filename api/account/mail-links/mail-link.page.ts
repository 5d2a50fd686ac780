import { html } from '@prairielearn/html';
import type { LinkPurpose } from '../../../domain/identity/mail/mail-purpose.ts';
import type { View } from '../../route.ts';
import { form } from '../../html/form.ts';

type Link = { token: string; handle: string; address: string };
type Shown = { link: Link; formToken: string };

export function checkMailPage(): View {
  return {
    title: 'Check your mail',
    content: html`
      <div class="narrow">
        <h1>Check your mail</h1>
        <p>We have sent you a mail. Please follow the link in it.</p>
        <p class="muted">
          Nothing after a few minutes? Check your spam folder, or
          <a href="/forgot-password">reset your password</a>. The reset link also confirms your
          email.
        </p>
        <p><a href="/sign-in">Sign in</a></p>
      </div>
    `,
  };
}

/** For links that were used, are over, or were never ours: the same words. */
export function deadLinkPage(): View {
  return {
    title: 'This link does not work any more',
    content: html`
      <div class="narrow" data-link="dead">
        <h1>This link does not work any more</h1>
        <p>It was used already, or its time is over.</p>
        <p>
          <a href="/sign-in">Sign in</a> or <a href="/forgot-password">ask for a new password</a>
        </p>
      </div>
    `,
  };
}

export function otherAccountPage(): View {
  return {
    title: 'This link is for another account',
    content: html`
      <div class="narrow" data-link="other">
        <h1>This link is for another account</h1>
        <p>
          You are signed in, but not to the account whose address is to change. Sign out, then open
          the link again: it asks you to sign in to the right one.
        </p>
      </div>
    `,
  };
}

/** For whoever reads the old mailbox, signed in or not. */
export function stopChangePage({
  link,
  formToken: token,
  isWaiting,
}: Shown & { isWaiting: boolean }): View {
  const title = isWaiting ? 'Stop the change of address?' : 'There is nothing to stop';
  return {
    title,
    content: html`
      <div class="narrow">
        <h1>${title}</h1>
        ${
          isWaiting
            ? html`<p>
                  Somebody has asked to give the account <strong>${link.handle}</strong> another
                  e-mail address. Stopping it keeps <strong class="id">${link.address}</strong>.
                </p>
                ${form({
                  action: '/stop-email-change',
                  token,
                  button: 'Stop the change',
                  hidden: { token: link.token },
                })}`
            : html`<p>
                No change of address is waiting any more. If the address was changed and it was not
                you, the mail that told you of it says whom to write to.
              </p>`
        }
        <p><a href="/">Leave it</a></p>
      </div>
    `,
  };
}

export function confirmAddressPage({
  link,
  formToken: token,
  purpose,
  isOtherBrowser,
}: Shown & { purpose: LinkPurpose; isOtherBrowser: boolean }): View {
  const what = purpose === 'change_email' ? 'is the new address of' : 'is the address of';
  return {
    title: 'Confirm your address',
    content: html`
      <div class="narrow">
        <h1>Confirm your address</h1>
        <p>
          <strong class="id">${link.address}</strong> ${what} the account
          <strong>${link.handle}</strong>. If you know nothing of this account, close this page.
        </p>
        ${
          isOtherBrowser
            ? html`<p data-other-browser>
                This is not the browser in which the account was made. To keep it yours alone, the
                password and passkeys that it has until now are removed: you choose a new password
                on the next page.
              </p>`
            : ''
        }
        ${form({
          action: '/verify-email',
          token,
          button: 'Yes, it is mine',
          hidden: { token: link.token },
        })}
      </div>
    `,
  };
}

export function forgotPasswordPage(props: { formToken: string; problem: string | null }): View {
  return {
    title: 'Forgot your password?',
    content: html`
      <div class="narrow">
        <h1>Forgot your password?</h1>
        <p>We send a link to choose a new one to the address of your account.</p>
        ${form({
          action: '/forgot-password',
          token: props.formToken,
          button: 'Send the link',
          fields: [
            {
              label: 'E-mail',
              name: 'email',
              type: 'email',
              autocomplete: 'username',
              problem: props.problem,
            },
          ],
        })}
        <p><a href="/sign-in">Sign in</a></p>
      </div>
    `,
  };
}

import { html } from '@prairielearn/html';
import type { LinkPurpose } from '../../../domain/identity/mail/mail-purpose.ts';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import { pendingNotice, type Destination } from '../destination.ts';

type Link = { token: string; handle: string; address: string };
type LinkProps = { link: Link; formToken: string };

/** Shows links that were used, are over, or were never ours by the same words. */
export function deadLinkPage(): View {
  return {
    title: 'This link no longer works',
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow" data-link="dead">
        <h1>This link no longer works</h1>
        <p>The link was already used, or it has expired.</p>
        <p><a href="/sign-in">Sign in</a> or <a href="/forgot-password">reset your password</a></p>
      </div>
    `,
  };
}

export function otherAccountPage(): View {
  return {
    title: 'This link is for another account',
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow" data-link="other">
        <h1>This link is for another account</h1>
        <p>
          The link changes the email address of another account. Sign out, then open the link again
          and sign in to that account.
        </p>
      </div>
    `,
  };
}

/** Asks the owner of the old mailbox, signed in or not. */
export function stopChangePage({
  link,
  formToken: token,
  isWaiting,
}: LinkProps & { isWaiting: boolean }): View {
  const title = isWaiting ? 'Stop the email change?' : 'Nothing to stop';
  return {
    title,
    showsSecret: true,
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow">
        <h1>${title}</h1>
        ${
          isWaiting
            ? html`<p>
                  Someone asked to change the email address of the account
                  <strong>${link.handle}</strong>. If you stop the change, the account keeps
                  <strong class="id">${link.address}</strong>.
                </p>
                ${form({
                  action: '/stop-email-change',
                  token,
                  button: 'Stop the change',
                  hidden: { token: link.token },
                })}`
            : html`<p>
                No email change is pending. If your email address was changed and you didn't do it,
                the email about the change says whom to contact.
              </p>`
        }
        <p><a href="/">${isWaiting ? 'Not now' : 'Go to Gatehouse'}</a></p>
      </div>
    `,
  };
}

export function confirmAddressPage({
  link,
  formToken: token,
  purpose,
  isOtherBrowser,
  destination,
}: LinkProps & {
  purpose: LinkPurpose;
  isOtherBrowser: boolean;
  destination: Destination | null;
}): View {
  const what =
    purpose === 'change_email' ? 'is the new email address of' : 'is the email address of';
  return {
    title: 'Confirm your email address',
    showsSecret: true,
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow">
        <h1>Confirm your email address</h1>
        <p>
          <strong class="id">${link.address}</strong> ${what} the account
          <strong>${link.handle}</strong>. If this is not your account, close this page.
        </p>
        ${
          isOtherBrowser
            ? html`<p data-other-browser>
                The account was created in another browser. To make sure that only you can use it,
                we remove its password and passkeys. You choose a new password on the next page.
              </p>`
            : pendingNotice('Confirm it', destination)
        }
        ${form({
          action: '/verify-email',
          token,
          button: 'Confirm email address',
          isMain: true,
          hidden: { token: link.token },
        })}
      </div>
    `,
  };
}

export function forgotPasswordPage(props: { formToken: string; problem: string | null }): View {
  return {
    title: 'Forgot your password?',
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow">
        <h1>Forgot your password?</h1>
        <p>We'll email you a link to choose a new password.</p>
        ${form({
          action: '/forgot-password',
          token: props.formToken,
          button: 'Send link',
          isMain: true,
          fields: [
            {
              label: 'Email',
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

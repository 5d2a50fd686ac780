import { html } from '@prairielearn/html';
import type { LinkPurpose } from '../../../domain/identity/mail/mail-purpose.ts';
import type { View } from '../../http/route.ts';
import { form } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { note } from '../../html/parts/note.ts';
import { oneStepPage } from '../one-step.ts';
import { pendingNotice, type Destination } from '../destination.ts';

type Link = { token: string; handle: string; address: string };
type LinkProps = { link: Link; formToken: string };

/** Shows links that were used, are over, or were never ours by the same words. */
export function deadLinkPage(): View {
  return oneStepPage({
    title: 'This link no longer works',
    mark: html`data-link="dead"`,
    lede: 'The link was already used, or it has expired.',
    content: html`
      ${button({ text: 'Sign in', href: '/sign-in', kind: 'primary', size: 'large' })}
      ${button({ text: 'Reset your password', href: '/forgot-password', size: 'large' })}
    `,
  });
}

export function otherAccountPage(): View {
  return oneStepPage({
    title: 'This link is for another account',
    mark: html`data-link="other"`,
    content: html`<p>
      The link changes the email address of another account. Sign out, then open the link again and
      sign in to that account.
    </p>`,
  });
}

const CONTACT =
  "If your email address was changed and you didn't do it, the email about the change says whom to contact.";

/** Asks the owner of the old mailbox, signed in or not. */
export function stopChangePage({
  link,
  formToken: token,
  isWaiting,
}: LinkProps & { isWaiting: boolean }): View {
  if (!isWaiting) {
    return oneStepPage({
      title: 'Nothing to stop',
      showsSecret: true,
      lede: 'No email change is pending.',
      content: html`<p>${CONTACT}</p>`,
      below: html`<p><a href="/">Go to Gatehouse</a></p>`,
    });
  }
  return oneStepPage({
    title: 'Stop the email change?',
    showsSecret: true,
    lede: html`<p class="lede">
      Someone asked to change the email address of the account <strong>${link.handle}</strong>. If
      you stop the change, the account keeps <strong class="id">${link.address}</strong>.
    </p>`,
    content: form({
      action: '/stop-email-change',
      token,
      button: 'Stop the change',
      isMain: true,
      hidden: { token: link.token },
    }),
    below: html`<p><a href="/">Not now</a></p>`,
  });
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
  return oneStepPage({
    title: 'Confirm your email address',
    showsSecret: true,
    destination: isOtherBrowser ? null : destination,
    lede: html`<p class="lede">
        <strong class="id">${link.address}</strong> ${what} the account
        <strong>${link.handle}</strong>. If this is not your account, close this page.
      </p>
      ${isOtherBrowser ? '' : pendingNotice('Confirm it', destination)}`,
    content: html`
      ${
        isOtherBrowser
          ? html`<div data-other-browser>${note({ tone: 'warn', more: OTHER_BROWSER })}</div>`
          : ''
      }
      ${form({
        action: '/verify-email',
        token,
        button: 'Confirm email address',
        isMain: true,
        hidden: { token: link.token },
      })}
    `,
  });
}

const OTHER_BROWSER =
  'The account was created in another browser. To make sure that only you can use it, we remove its password and passkeys. You choose a new password on the next page.';

export function forgotPasswordPage(props: { formToken: string; problem: string | null }): View {
  return oneStepPage({
    title: 'Forgot your password?',
    lede: "We'll email you a link to choose a new password.",
    content: form({
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
    }),
    below: html`<p><a href="/sign-in">Sign in</a></p>`,
  });
}

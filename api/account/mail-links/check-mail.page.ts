import { html, type HtmlSafeString } from '@prairielearn/html';
import { problemNotice } from '../../html/notices.ts';
import { smallButton } from '../../html/form.ts';
import type { View } from '../../http/route.ts';
import { pendingNotice, type Destination } from '../destination.ts';
import type { EnteredAddress } from './entered-address.ts';

export const CHECK_MAIL = '/check-mail';

type Props = {
  entered: EnteredAddress | null;
  /** The seconds until the email may be sent again. */
  waitS: number;
  problem?: string;
  destination: Destination | null;
  token: string;
};

/** Shows the same whether or not the address has an account. */
export function checkMailPage(props: Props): View {
  const { entered, destination, problem } = props;
  return {
    title: 'Check your email',
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow" data-step="check-mail">
        <h1>Check your email</h1>
        ${problemNotice(problem)}
        ${
          entered === null
            ? html`<p>Follow the link in our email to you.</p>`
            : html`<p>
                Follow the link in our email to <strong class="id">${entered.address}</strong>.
              </p>`
        }
        ${pendingNotice('Follow it in this browser', destination)}
        ${entered === null ? '' : again(entered, props)}
        <p class="muted">
          No email after a few minutes? Check your spam folder, and our earlier emails: one address
          gets only a few in an hour. ${otherWays(entered)}
        </p>
        <p><a href="/sign-in">Sign in</a></p>
      </div>
    `,
  };
}

function again(entered: EnteredAddress, { waitS, token }: Props): HtmlSafeString {
  const form = entered.form === 'forgot_password' ? '/forgot-password' : '/sign-up';
  const when = waitS === 0 ? 'Once a minute.' : `Once a minute: again in ${inSeconds(waitS)}.`;
  return html`<div class="actions">
      ${smallButton({ action: CHECK_MAIL, token, button: 'Send again' })}
      <small class="muted" data-wait="${waitS}">${when}</small>
    </div>
    <p><a href="${form}">Wrong address?</a></p>`;
}

export function inSeconds(seconds: number): string {
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

function otherWays(entered: EnteredAddress | null): HtmlSafeString | '' {
  if (entered?.form === 'forgot_password') return '';
  return html`An address that has an account already hears from us once a day: sign in instead. Or
    <a href="/forgot-password">reset your password</a>: the reset link also confirms your email.`;
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import { problemNotice } from '../../html/notices.ts';
import { writePlural } from '../../html/numbers.ts';
import { smallButton } from '../../html/form.ts';
import type { View } from '../../http/route.ts';
import { oneStepPage } from '../one-step.ts';
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
  return oneStepPage({
    title: 'Check your email',
    destination,
    mark: html`data-step="check-mail"`,
    lede: html`<p class="lede">
        Follow the link in our email to
        ${entered === null ? 'you' : html`<strong class="id">${entered.address}</strong>`}.
      </p>
      ${pendingNotice('Follow it in this browser', destination)}`,
    content: html`
      ${problemNotice(problem)} ${entered === null ? '' : again(props)}
      <h2>No email after a few minutes?</h2>
      <ul>
        <li>Check your spam folder, and our earlier emails: one address gets a few in an hour.</li>
        ${otherWays(entered)}
      </ul>
    `,
    below: html`<p>
      <a href="/sign-in">Sign in</a>
      ${entered === null ? '' : html`<a href="${formOf(entered)}">Wrong address?</a>`}
    </p>`,
  });
}

function formOf({ form }: EnteredAddress): string {
  return form === 'forgot_password' ? '/forgot-password' : '/sign-up';
}

function again({ waitS, token }: Props): HtmlSafeString {
  const when =
    waitS === 0 ? 'Once a minute.' : `Once a minute: again in ${writePlural(waitS, 'second')}.`;
  return html`<div class="again">
    ${smallButton({ action: CHECK_MAIL, token, button: 'Send again' })}
    <small data-wait="${waitS}">${when}</small>
  </div>`;
}

function otherWays(entered: EnteredAddress | null): HtmlSafeString | '' {
  if (entered?.form === 'forgot_password') return '';
  return html`<li>An address that has an account hears from us once a day: sign in instead.</li>
    <li>
      <a href="/forgot-password">Reset your password</a>: the reset link also confirms your email.
    </li>`;
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import type { BuilderStatus } from '../../../domain/identity/operators/builder.repository.ts';
import type { View } from '../../route.ts';
import { form } from '../../html/form.ts';
import { consoleView } from '../console-frame.ts';

export const VERIFICATION = '/console/verification';

type Props = { builderStatus: BuilderStatus; formToken: string };

export function verificationPage(props: Props & { unread: number; notice: unknown }): View {
  const content = html`<div class="slim">
    ${verificationPanel(props)}
    <p class="muted">
      Who sells alone is verified by us first, and only a verified builder founds a team. Its
      members need no verification: what they may do is up to the team.
    </p>
  </div>`;
  const { unread, notice } = props;
  return consoleView({ title: 'Verified builder', content, notice, unread }, VERIFICATION);
}

/** How it stands, and the button to ask with; for any page of the console. */
function verificationPanel({ builderStatus, formToken }: Props): HtmlSafeString {
  return html`<article data-verification="${builderStatus}">
    ${panel(builderStatus, formToken)}
  </article>`;
}

function panel(builderStatus: BuilderStatus, token: string): HtmlSafeString {
  switch (builderStatus) {
    case 'verified':
      return html`<p>You are verified: your own products can be sold and integrated.</p>`;
    case 'waiting':
      return html`<p>You have asked to be verified. We will write to you once it is decided.</p>`;
    case 'unconfirmed':
      return html`<p>
        Please <a href="/settings/security">confirm your e-mail address</a> first; then you can ask
        to be verified.
      </p>`;
    case 'none':
      return html`<p>
          Once you are verified you can make keys, clients and webhook endpoints, set prices and
          list products of your own.
        </p>
        ${form({ action: VERIFICATION, token, button: 'Ask to be verified' })}`;
  }
}

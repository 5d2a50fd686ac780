import { html, type HtmlSafeString } from '@prairielearn/html';
import type { BuilderStatus } from '../../../domain/identity/operators/builder.repository.ts';
import type { View } from '../../route.ts';
import { form } from '../../html/form.ts';
import { VERIFICATION } from '../../html/notices.ts';
import { consoleView } from '../console-frame.ts';

type Props = { builderStatus: BuilderStatus; formToken: string };

export function verificationPage(props: Props & { unread: number; notice: unknown }): View {
  const content = html`<div class="slim">
    ${verificationPanel(props)}
    <p class="muted">
      Verify your account to sell and to create teams. Team members need no verification. Their
      roles decide what they can do.
    </p>
  </div>`;
  const { unread, notice } = props;
  return consoleView({ title: 'Verified builder', content, notice, unread }, VERIFICATION);
}

/** The state of the verification, and the button that requests it; for any page of the console. */
function verificationPanel({ builderStatus, formToken }: Props): HtmlSafeString {
  return html`<article data-verification="${builderStatus}">
    ${panel(builderStatus, formToken)}
  </article>`;
}

function panel(builderStatus: BuilderStatus, token: string): HtmlSafeString {
  switch (builderStatus) {
    case 'verified':
      return html`<p>You are a verified builder. You can sell and integrate your own products.</p>`;
    case 'waiting':
      return html`<p>You requested verification. We'll email you when we have decided.</p>`;
    case 'unconfirmed':
      return html`<p>
        <a href="/settings/security">Confirm your email address</a> before you request verification.
      </p>`;
    case 'none':
      return html`<p>
          You can create drafts, test keys, and OAuth clients for apps on your own machine now. Once
          you are verified, you can create live keys, other clients and webhook endpoints, set
          prices and list your own products.
        </p>
        ${form({ action: VERIFICATION, token, button: 'Request verification' })}`;
  }
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  BuilderState,
  BuilderStatus,
} from '../../../domain/identity/operators/builder.repository.ts';
import type { View } from '../../route.ts';
import { form } from '../../html/form.ts';
import { VERIFICATION } from '../../html/notices.ts';
import { consoleView } from '../console-frame.ts';

type Props = { builder: BuilderState; formToken: string };

export function verificationPage(props: Props & { unread: number }): View {
  const content = html`<div class="slim">
    ${verificationPanel(props)}
    <p class="muted">
      Verify your account to sell and to create teams. Team members need no verification. Their
      roles decide what they can do.
    </p>
  </div>`;
  const { unread } = props;
  return consoleView({ title: 'Verified builder', content, unread }, VERIFICATION);
}

/** The state of the verification, and the button that requests it; for any page of the console. */
function verificationPanel({ builder, formToken }: Props): HtmlSafeString {
  const { status, declinedFor } = builder;
  return html`<article data-verification="${status}">
    ${
      declinedFor === null
        ? ''
        : html`<p class="notice" data-declined>
            We declined your last request: <span class="id">${declinedFor}</span>
          </p>`
    }
    ${panel(status, formToken)}
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

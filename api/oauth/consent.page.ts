import { html } from '@prairielearn/html';
import type { PageReason } from '../../domain/oauth/authorize-request.ts';
import type { View } from '../http/route.ts';
import { formToken } from '../html/layout.ts';

/** All that consent may state, and the two tokens of its form. */
type Props = {
  appName: string;
  /** Is null for the platform's own apps. */
  productName: string | null;
  person: { id: string; handle: string; displayName: string };
  /** Is null where the app does not ask for it. */
  hasAccess: boolean | null;
  formToken: string;
  requestToken: string;
};

export function consentPage(props: Props): View {
  const { appName, productName, person, hasAccess } = props;
  return {
    title: `Sign in to ${appName}`,
    area: 'account',
    isFocused: true,
    content: html`
      <div class="narrow">
        <hgroup>
          <h1>Sign in to ${appName}</h1>
          <p>${productName === null ? 'An app by Gatehouse' : html`An app by ${productName}`}</p>
        </hgroup>
        <p>${appName} will see:</p>
        <dl class="facts">
          <dt>Name</dt>
          <dd>${person.displayName}</dd>
          <dt>Handle</dt>
          <dd>@${person.handle}</dd>
          <dt>User ID</dt>
          <dd class="id"><code>${person.id}</code></dd>
          ${
            hasAccess === null
              ? ''
              : html`<dt>Access to ${productName}</dt>
                  <dd data-access="${hasAccess}">${hasAccess ? 'Yes' : 'No'}</dd>`
          }
        </dl>
        <form method="post" action="/oauth/authorize" class="decision">
          ${formToken(props.formToken)}
          <input type="hidden" name="request" value="${props.requestToken}" />
          <button name="decision" value="allow">Allow</button>
          <button name="decision" value="deny" class="outline secondary">Do not allow</button>
        </form>
        <p>
          <small class="muted">
            You can revoke access anytime in <a href="/settings/apps">Connected apps</a>.
          </small>
        </p>
      </div>
    `,
  };
}

export type RefusalReason = PageReason | 'unreadable' | 'too_long' | 'request_over';

const SENTENCES: Record<RefusalReason, string> = {
  client_id_missing: 'The link must have exactly one client_id.',
  client_unknown: 'The client_id is unknown, or the app cannot sign people in.',
  redirect_uri_missing: 'The link must have exactly one redirect_uri.',
  redirect_uri_unregistered: 'The redirect_uri is not registered for this app.',
  state_too_long: 'The state is longer than 4,096 characters.',
  unreadable: 'A parameter cannot be read as text, or is longer than 4,096 characters.',
  too_long:
    "The link is longer than 4,096 characters, so we can't keep it while you sign in. Sign in first, then open the link again.",
  request_over: 'You already answered this request, or it has expired.',
};

export function refusalPage(reason: RefusalReason): View {
  return {
    title: "You can't sign in to this app",
    content: html`
      <h1>You can't sign in to this app</h1>
      <p class="notice" role="alert" data-reason="${reason}">${SENTENCES[reason]}</p>
      <p>
        ${
          reason === 'request_over'
            ? 'Go back to the app and sign in again.'
            : 'This is a problem with the app. Contact its developer.'
        }
      </p>
      <p><a href="/">Back to the store</a></p>
    `,
  };
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PageReason } from '../../domain/oauth/authorize-request.ts';
import type { View } from '../http/route.ts';
import { oneStepPage } from '../account/one-step.ts';
import { gate, type IconProduct } from '../html/emblems.ts';
import { smallButton } from '../html/form.ts';
import { icon, type IconName } from '../html/icon.ts';
import { formToken } from '../html/parts/form-token.ts';
import { button } from '../html/parts/button.ts';

/** All that consent may state, and the tokens of its forms. */
type Props = {
  appName: string;
  /** The server that the app runs at; null for one on a device. */
  host: string | null;
  /** Is null for the platform's own apps. */
  product: IconProduct | null;
  person: { id: string; handle: string; displayName: string };
  /** Is null where the app does not ask for it. */
  hasAccess: boolean | null;
  /** The address of this request, for who signs in instead; null where it is too long to keep. */
  returnTo: string | null;
  formToken: string;
  requestToken: string;
};

export function consentPage(props: Props): View {
  const { appName, host, product, person, hasAccess } = props;
  const by = product === null ? 'Gatehouse' : product.name;
  return oneStepPage({
    title: `${appName} wants to know who you are`,
    destination: { name: appName, isApp: true, product },
    lede: html`<p class="lede">
      An app by ${by}${host === null ? '' : html`, at <strong class="id">${host}</strong>`}
    </p>`,
    content: html`
      <div class="signed-in">
        <span>Signed in as <strong>@${person.handle}</strong></span>
        ${smallButton({
          action: '/sign-out',
          hidden: props.returnTo === null ? {} : { return_to: props.returnTo },
          token: props.formToken,
          button: 'Not you?',
        })}
      </div>
      <h2>It will see</h2>
      <dl class="seen">
        ${seen('user-round', 'Name and handle', html`${person.displayName}, @${person.handle}`)}
        ${seen(
          'fingerprint',
          'Your identifier',
          html`<code class="id">${person.id}</code>
            <small>The same identifier for every app that you sign in to here.</small>`,
        )}
        ${
          hasAccess === null || product === null
            ? ''
            : seen(
                'key-round',
                `Whether you may use ${product.name}`,
                html`<span data-access="${hasAccess}">
                  ${hasAccess ? 'You have access.' : 'You have no access.'}
                </span>`,
              )
        }
      </dl>
      <form method="post" action="/oauth/authorize" class="decide">
        ${formToken(props.formToken)}
        <input type="hidden" name="request" value="${props.requestToken}" />
        ${button({ text: 'Allow', kind: 'primary', size: 'large', name: 'decision', value: 'allow' })}
        ${button({ text: 'Do not allow', size: 'large', name: 'decision', value: 'deny' })}
      </form>
    `,
    below: html`<p>
      You can revoke access anytime in <a href="/settings/apps">Connected apps</a>.
    </p>`,
  });
}

function seen(name: IconName, title: string, value: HtmlSafeString): HtmlSafeString {
  return html`<div>
    ${icon(name, 18)}
    <dt>${title}</dt>
    <dd>${value}</dd>
  </div>`;
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
    area: 'account',
    content: html`<div class="empty">
      ${gate('shut')}
      <h1>You can't sign in to this app</h1>
      <p role="alert" data-reason="${reason}">${SENTENCES[reason]}</p>
      <p>
        ${
          reason === 'request_over'
            ? 'Go back to the app and sign in again.'
            : 'This is a problem with the app. Contact its developer.'
        }
      </p>
      <div class="actions">${button({ text: 'Go to the store', href: '/', kind: 'primary' })}</div>
    </div>`,
  };
}

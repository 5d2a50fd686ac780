import { html } from '@prairielearn/html';
import type { ConnectedApp } from '../../domain/oauth/connected-apps.repository.ts';
import type { View } from '../http/route.ts';
import { askOnce } from '../html/form.ts';
import { formToken, instant } from '../html/layout.ts';
import { settingsPage } from './settings/settings.page.ts';

const SCOPES: Record<string, string> = {
  identity: 'who you are',
  entitlements: 'whether you have access to the product',
  mobile: 'the store on your behalf',
};

/** "who you are and whether you have access to the product" */
const LIST = new Intl.ListFormat('en-GB');

export function appsPage(props: { apps: ConnectedApp[]; formToken: string }): View {
  const { apps } = props;
  return settingsPage({
    path: '/settings/apps',
    content: html`
      ${
        apps.length === 0
          ? html`<p>No connected apps.</p>`
          : html`<p>
                These apps can see the data that you allowed. Revoking access signs you out of the
                app immediately. You keep everything you bought.
              </p>
              ${apps.map((app) => card(app, props.formToken))}`
      }
    `,
  });
}

function card({ clientId, name, productName, scopes, grantedAt }: ConnectedApp, token: string) {
  return html`<article data-client="${clientId}">
    <hgroup>
      <h2>${name}</h2>
      <p>${productName ?? 'Gatehouse'}</p>
    </hgroup>
    <p>
      Can read ${LIST.format(scopes.map((scope) => SCOPES[scope] ?? scope))}
      <br /><small class="muted">Connected ${instant(grantedAt)}</small>
    </p>
    ${askOnce({
      summary: 'Revoke access',
      label: `Revoke access of ${name}`,
      sentence: `${name} signs you out immediately. To use it again, you sign in to it again.`,
      button: html`<form method="post" action="/settings/apps/${clientId}/revoke">
        ${formToken(token)}
        <button class="outline secondary">Yes, revoke access</button>
      </form>`,
    })}
  </article>`;
}

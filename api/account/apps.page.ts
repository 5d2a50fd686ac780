import { html } from '@prairielearn/html';
import type { ConnectedApp } from '../../domain/oauth/connected-apps.repository.ts';
import type { View } from '../http/route.ts';
import { appIcon, MARK } from '../html/emblems.ts';
import { instant } from '../html/dates.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { smallButton } from '../html/form.ts';
import { fold } from '../html/parts/fold.ts';
import { CONNECTED_APPS, libraryView } from './library-frame.ts';

const SCOPES: Record<string, string> = {
  identity: 'who you are',
  entitlements: 'whether you have access to the product',
  mobile: 'the store on your behalf',
};

/** "who you are and whether you have access to the product" */
const LIST = new Intl.ListFormat('en-GB');

export function appsPage(props: { apps: ConnectedApp[]; formToken: string }): View {
  const { apps } = props;
  return libraryView({
    path: CONNECTED_APPS,
    title: 'Connected apps',
    content: html`
      ${
        apps.length === 0
          ? emptyState({
              title: 'No connected apps',
              sentence: 'When you sign in to an app with your account, it appears here.',
              link: { path: '/', label: 'Browse the store' },
            })
          : html`<p class="hint">
                These apps can see the data that you allowed. Revoking access signs you out of the
                app immediately. You keep everything you bought.
              </p>
              <ul class="library">
                ${apps.map((app) => row(app, props.formToken))}
              </ul>`
      }
    `,
  });
}

function row(
  { clientId, name, productName, slug, iconHash, scopes, grantedAt }: ConnectedApp,
  token: string,
) {
  const product =
    slug === null || productName === null ? null : { slug, name: productName, iconHash };
  return html`<li data-client="${clientId}">
    ${product === null ? html`<span class="app-icon s52">${MARK}</span>` : appIcon(product, 52)}
    <div>
      <h2>${name}</h2>
      <ul>
        <li>${productName ?? 'Gatehouse'}, connected ${instant(grantedAt)}</li>
        <li>Can read ${LIST.format(scopes.map((scope) => SCOPES[scope] ?? scope))}</li>
      </ul>
    </div>
    ${fold({
      summary: 'Revoke access',
      about: `of ${name}`,
      isDangerous: true,
      sentence: `${name} signs you out immediately. To use it again, you sign in to it again.`,
      content: smallButton({
        action: `${CONNECTED_APPS}/${clientId}/revoke`,
        token,
        button: 'Revoke access',
        isDangerous: true,
      }),
    })}
  </li>`;
}

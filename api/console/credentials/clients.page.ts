import { html, type HtmlSafeString } from '@prairielearn/html';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type { SecretView } from '../../../domain/oauth/clients/client-secret.repository.ts';
import { copyable } from '../../html/copy.ts';
import { instant } from '../../html/dates.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { fold } from '../../html/parts/fold.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { blockNotice, problemNotice, shownBefore } from '../../html/notices.ts';
import { button, type ButtonKind } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { pill } from '../../html/parts/pill.ts';
import type { RegistrationProblems } from '../../../domain/oauth/clients/client-registration.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { factList, type Fact } from '../../html/parts/facts.ts';
import { isLoopbackUri } from '../../../domain/oauth/clients/redirect-uri.ts';
import type { Arrival } from '../shown-once.ts';
import { trialNotice } from './trial-notice.ts';
import {
  NATIVE_PORTS,
  newClientForm,
  redirectUrisField,
  type ClientDraft,
} from './new-client.page.ts';

/** Shown on this one page and never again. */
export type FreshSecret = { clientId: string; secret: string };

/** Other redirect URIs of a client as they were typed, and why they cannot be taken. */
export type Edit = {
  clientId: string;
  typed: string;
  problem: NonNullable<RegistrationProblems['redirectUris']>;
};

type Props = {
  /** The paths of the page and of its forms. */
  path: string;
  emptyWords: string;
  clients: RegisteredClient[];
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Clients with other than loopback redirect URIs are read-only. */
  isTrial: boolean;
  problem: string | null;
  /** The arrival after a secret was made. */
  arrival: Arrival<FreshSecret> | null;
  draft: ClientDraft | null;
  edit: Edit | null;
  formToken: string;
};

export function clientList(props: Props): HtmlSafeString {
  const { clients, blockReason, emptyWords, problem, arrival } = props;
  return html`
    ${blockNotice(blockReason)} ${problemNotice(problem)}
    ${props.isTrial ? trialNotice('clients') : ''}
    ${arrival === null ? '' : secretNotice(arrival.shown)}
    ${
      clients.length === 0
        ? emptyState({ title: 'No clients yet', sentence: emptyWords })
        : clients.map((client) => clientCard(client, props))
    }
    ${blockReason === null ? newClientForm({ ...props, isOnly: clients.length === 0 }) : ''}
  `;
}

function secretNotice(fresh: FreshSecret | null) {
  if (fresh === null) return shownBefore('secret', 'rotate the secret');
  const { clientId, secret } = fresh;
  return html`<div role="status" data-fresh="${clientId}">
    ${card({
      title: 'Copy the secret now',
      facts: 'We show it only once.',
      body: factList([
        [
          'Client ID',
          copyable({ id: `fresh-${clientId}`, label: 'client id', text: clientId, isLine: true }),
        ],
        [
          'Client secret',
          copyable({ id: `secret-${clientId}`, label: 'client secret', text: secret }),
        ],
      ]),
    })}
  </div>`;
}

function clientCard(client: RegisteredClient, props: Props) {
  const { path, formToken: token, blockReason, isTrial, edit } = props;
  const { id, name, kind, isDisabled, redirectUris, secrets } = client;
  const isOpen = blockReason === null && (!isTrial || redirectUris.every(isLoopbackUri));
  const action = `${path}/${id}`;
  const own = edit?.clientId === id ? edit : null;
  const state = isDisabled
    ? pill({ word: 'Disabled', tone: 'neutral' })
    : pill({ word: 'Enabled', tone: 'ok', isLive: true });
  return html`<div data-client="${id}" data-state="${isDisabled ? 'disabled' : 'enabled'}">
    ${card({
      title: name,
      facts: html`<p>${sentenceCase(kind)}</p>
        ${state}`,
      body: html`${factList([
        ['Client ID', copyable({ id, label: `client id of ${name}`, text: id, isLine: true })],
        [
          redirectUris.length === 1 ? 'Redirect URI' : 'Redirect URIs',
          html`<ul class="plain">
            ${redirectUris.map((uri) => html`<li class="id"><code>${uri}</code></li>`)}
          </ul>`,
        ],
        kind === 'confidential' && secretsOf(secrets),
      ])}
      ${isOpen ? editUris({ action, token, kind, redirectUris, edit: own }) : ''}
      ${isOpen ? clientActions(client, { action, token }) : ''}`,
    })}
  </div>`;
}

function clientActions(
  { kind, isDisabled, sendsIss }: RegisteredClient,
  { action, token }: { action: string; token: string },
): HtmlSafeString {
  return html`<form method="post" action="${action}" class="actions">
      ${formToken(token)} ${kind === 'confidential' ? asked('rotate', ROTATION) : ''}
      ${isDisabled ? press('enable', 'Enable') : asked('disable', DISABLING)}
      ${sendsIss ? press('omit_iss', 'Stop sending the issuer (iss)') : press('send_iss', 'Send the issuer (iss)')}
      ${asked('delete', DELETION)}
    </form>
    <p><small class="muted">${ABOUT_ISS}</small></p>`;
}

function editUris(props: {
  action: string;
  token: string;
  kind: RegisteredClient['kind'];
  redirectUris: string[];
  edit: Edit | null;
}) {
  const { action, token, kind, redirectUris, edit } = props;
  return fold({
    summary: 'Change redirect URIs',
    sentence: 'If you remove a URI, unfinished sign-ins with it fail.',
    isOpen: edit !== null,
    content: html`<form method="post" action="${action}/redirect-uris">
      ${formToken(token)}
      ${redirectUrisField(edit?.typed ?? redirectUris.join('\n'), edit?.problem)}
      ${kind === 'native' ? NATIVE_PORTS : ''} ${button({ text: 'Save redirect URIs' })}
    </form>`,
  });
}

function secretsOf(secrets: SecretView[]): Fact {
  const lines = secrets.map(
    ({ lastFour, expiresAt }) =>
      html`<li>
        <code>gcs_...${lastFour}</code>
        ${expiresAt === null ? '' : html`<small>expires ${instant(new Date(expiresAt))}</small>`}
      </li>`,
  );
  return [
    secrets.length === 1 ? 'Secret' : 'Secrets',
    html`<ul class="plain">
      ${lines}
    </ul>`,
  ];
}

const ABOUT_ISS = html`With the issuer, each answer to your redirect URI names this server in
  <code>iss</code> (RFC 9207): send it if your app signs people in at several servers and must know
  which one has answered.`;

const ROTATION = {
  summary: 'Rotate secret',
  sentence:
    'You get a new secret. The current one keeps working for 48 hours, so that you can replace it.',
  button: 'Rotate client secret',
};
const DISABLING = {
  summary: 'Disable',
  isDangerous: true,
  sentence:
    'Nobody can sign in with this client, and its tokens stop working, until you enable it.',
  button: 'Disable client',
};
const DELETION = {
  summary: 'Delete',
  isDangerous: true,
  sentence: "Everyone is signed out of this app immediately. This can't be undone.",
  button: 'Delete client',
};

type Question = { summary: string; sentence: string; button: string; isDangerous?: boolean };

function asked(action: string, { button: text, ...question }: Question): HtmlSafeString {
  return fold({
    ...question,
    content: press(action, text, question.isDangerous ? 'danger' : 'secondary'),
  });
}

function press(action: string, text: string, kind: ButtonKind = 'secondary'): HtmlSafeString {
  return button({ text, name: 'action', value: action, kind });
}

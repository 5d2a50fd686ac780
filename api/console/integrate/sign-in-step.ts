import { html, type HtmlSafeString } from '@prairielearn/html';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isLoopbackUri } from '../../../domain/oauth/clients/redirect-uri.ts';
import type { Origins } from '../../docs/guide-text.ts';
import { copyable } from '../../html/copy.ts';
import { highlight } from '../../html/highlight.ts';
import { blockNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { code, type Program } from '../../html/parts/code.ts';
import { productPath } from '../console-frame.ts';
import {
  authorizeCommand,
  exchangeCommand,
  profileCommand,
  signInCommand,
  signInSetUp,
} from './commands.ts';
import { alsoEnabled, guide, program, waiting } from './step-parts.ts';

type Props = {
  product: { slug: string };
  origins: Origins;
  /** The enabled clients, the newest first. */
  clients: RegisteredClient[];
  credentialRights: { blockReason: string | null };
  /** The path of the page. */
  path: string;
  isDone: boolean;
  /** It is the step to take now. */
  isOpen: boolean;
};

const LOCAL = 'http://localhost:4000/callback';
/** The address for a native client, which may register no `localhost`. */
const NATIVE_LOCAL = 'http://127.0.0.1:4000/callback';

export function signInStep(props: Props): HtmlSafeString {
  const { product, origins, clients, credentialRights, isOpen } = props;
  const path = `${productPath(product.slug)}/clients`;
  const chosen = choose(clients);
  if (chosen === null) {
    return html`${blockNotice(credentialRights.blockReason)}
      <p>
        Send the browser to Gatehouse. It comes back to your redirect URI with a code, and your
        server exchanges the code for a token. A client names your app and the address that people
        come back to, such as <code>${LOCAL}</code>.
      </p>
      <p>
        ${button({ text: 'Create a client', kind: isOpen ? 'primary' : 'secondary', href: path })}
      </p>
      ${guide('sign-in', 'Sign-in')}`;
  }
  const { client, redirectUri } = chosen;
  const others = clients.filter(({ id }) => id !== client.id);
  return html`<p>
      The client is
      <a href="${path}">${client.name}</a>${others.length === 0 ? '' : CHOICE[chosen.by]}, with its
      redirect URI <code class="id">${redirectUri}</code>.
      ${alsoEnabled(others.map(({ name }) => html`<a href="${path}">${name}</a>`))}
    </p>
    ${whereToListen(chosen)}
    ${code({ id: 'sign-in', programs: [...programs(origins, chosen), commands(origins.baseUrl, chosen)] })}
    ${
      props.isDone
        ? ''
        : waiting(html`Waiting for the first token of <strong>${client.name}</strong>`, {
            text: 'Check for a token',
            path: props.path,
          })
    }
    ${guide('sign-in', 'Sign-in')}`;
}

const CHOICE = {
  place: ', the newest that comes back to this machine',
  age: ', the newest',
} as const;

type Chosen = { client: RegisteredClient; redirectUri: string; by: keyof typeof CHOICE };

/** The newest client that comes back to where the programs listen, or else the newest. */
function choose(clients: RegisteredClient[]): Chosen | null {
  for (const client of clients) {
    const redirectUri = client.redirectUris.map((uri) => listenable(uri, client)).find(Boolean);
    if (redirectUri) return { client, redirectUri, by: 'place' };
  }
  const [client] = clients;
  const redirectUri = client?.redirectUris[0];
  return client && redirectUri ? { client, redirectUri, by: 'age' } : null;
}

/** A program listens at this address; null where it cannot. A native client may add a port. */
function listenable(uri: string, { kind }: RegisteredClient): string | null {
  if (!isLoopbackUri(uri) || !uri.startsWith('http:')) return null;
  if (new URL(uri).port) return uri;
  const isAnyPort = kind === 'native' && /^http:\/\/(127\.|\[)/.test(uri);
  return isAnyPort ? uri.replace(/^(http:\/\/[^/?]+)/, '$1:4000') : null;
}

function whereToListen({ client, by }: Chosen): HtmlSafeString | '' {
  if (by === 'place') return '';
  return html`<p>
    The programs listen on this machine: to run them, add <code>${localOf(client)}</code> to the
    client.
  </p>`;
}

const localOf = ({ kind }: RegisteredClient) => (kind === 'native' ? NATIVE_LOCAL : LOCAL);

function programs(origins: Origins, { client, redirectUri, by }: Chosen): [Program, Program] {
  const local = by === 'place' ? redirectUri : localOf(client);
  const asked = { baseUrl: origins.baseUrl, ...client, redirectUri: local };
  const shared = { guide: 'sign-in', origins };
  return [
    program({
      ...shared,
      language: 'ts',
      name: 'TypeScript',
      file: 'app.mts',
      setUp: signInSetUp,
      run: signInCommand('node app.mts', asked),
    }),
    program({
      ...shared,
      language: 'python',
      name: 'Python',
      file: 'app.py',
      run: signInCommand('python3 app.py', asked),
    }),
  ];
}

function commands(baseUrl: string, { client: { id, kind }, redirectUri }: Chosen): Program {
  const asked = { baseUrl, id, kind, redirectUri };
  const exchange = { id: 'exchange', label: 'exchange of the code', text: exchangeCommand(asked) };
  const profile = { id: 'profile', label: 'profile read', text: profileCommand({ baseUrl }) };
  return {
    language: 'curl',
    text: highlight(authorizeCommand(asked), 'sh'),
    after: html`<p>
        Open the address that this prints, sign in, and allow the app. The browser comes back to the
        redirect URI with <code>code=gac_...</code> in its address, even where nothing listens.
        Exchange the code within five minutes, in the same shell:
      </p>
      <p>${copyable({ ...exchange, isBlock: true })}</p>
      <p>Read the profile with the <code>access_token</code> of the answer:</p>
      <p>${copyable({ ...profile, isBlock: true })}</p>`,
  };
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isLoopbackUri } from '../../../domain/oauth/clients/redirect-uri.ts';
import type { Origins } from '../../docs/guide-text.ts';
import { blockNotice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import {
  authorizeCommand,
  exchangeCommand,
  profileCommand,
  signInCommand,
  signInSetUp,
} from './commands.ts';
import { alsoEnabled, command, guide, program } from './step-parts.ts';

type Props = {
  product: { slug: string };
  origins: Origins;
  /** The enabled clients, the newest first. */
  clients: RegisteredClient[];
  credentialRights: { blockReason: string | null };
};

const LOCAL = 'http://localhost:4000/callback';
/** The address for a native client, which may register no `localhost`. */
const NATIVE_LOCAL = 'http://127.0.0.1:4000/callback';

export function signInStep(props: Props): HtmlSafeString {
  const { product, origins, clients, credentialRights } = props;
  const path = `${productPath(product.slug)}/clients`;
  const chosen = choose(clients);
  if (chosen === null) {
    return html`${blockNotice(credentialRights.blockReason)}
      <p>
        <a href="${path}">Create an OAuth client</a> with the address that people come back to, such
        as <code>${LOCAL}</code>. Then this step shows its commands.
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
    ${commands(origins.baseUrl, chosen)} ${programs(origins, chosen)} ${guide('sign-in', 'Sign-in')}`;
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

function programs(origins: Origins, { client, redirectUri, by }: Chosen): HtmlSafeString {
  const own = client.kind === 'native' ? NATIVE_LOCAL : LOCAL;
  const local = by === 'place' ? redirectUri : own;
  const asked = { baseUrl: origins.baseUrl, ...client, redirectUri: local };
  const shared = {
    guide: 'sign-in',
    origins,
    what: 'an app that signs people in',
    needs: client.kind === 'confidential' ? "the client's secret" : null,
  };
  return html`${
    by === 'place'
      ? ''
      : html`<p>
          The programs listen on this machine: to run them, add <code>${own}</code> to the client.
        </p>`
  }
  ${program({
    ...shared,
    language: 'ts',
    name: 'TypeScript',
    file: 'app.mts',
    setUp: signInSetUp,
    run: signInCommand('node app.mts', asked),
  })}
  ${program({
    ...shared,
    language: 'python',
    name: 'Python',
    file: 'app.py',
    run: signInCommand('python3 app.py', asked),
  })}`;
}

function commands(baseUrl: string, { client: { id, kind }, redirectUri }: Chosen): HtmlSafeString {
  const asked = { baseUrl, id, kind, redirectUri };
  return html`<p>Open the address that this prints, sign in, and allow the app:</p>
    ${command('authorize', 'command that prints the address', authorizeCommand(asked))}
    <p>
      The browser comes back to the redirect URI with <code>code=gac_...</code> in its address, even
      where nothing listens. Exchange the code within five minutes, in the same shell:
    </p>
    ${command('exchange', 'exchange of the code', exchangeCommand(asked))}
    <p>Read the profile with the <code>access_token</code> of the answer:</p>
    ${command('profile', 'profile read', profileCommand({ baseUrl }))}`;
}

import { createHash, randomBytes } from 'node:crypto';
import type { TestApi } from '../http/api.ts';
import type { Browser } from '../pages/browser.ts';

export type Client = { clientId: string; secret: string; redirectUri: string };
export type Fields = Record<string, string>;

export function newProof() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The authorization request that an app sends a person to. */
export function authorizePath(
  { clientId, redirectUri }: Pick<Client, 'clientId' | 'redirectUri'>,
  given: Record<string, string | string[] | undefined> = {},
): string {
  const query = new URLSearchParams();
  const parameters = { client_id: clientId, redirect_uri: redirectUri, ...given };
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value ?? []].flat()) query.append(name, each);
  }
  return `/oauth/authorize?${query}`;
}

/** The token of a consent page that stands for the request it was opened for. */
export function readRequestToken(page: string): string {
  return /name="request" value="([^"]*)"/.exec(page)?.[1] ?? '';
}

/** Answers the consent page of a request; the Response is the redirect to the app. */
export async function decide(browser: Browser, path: string, fields: Fields = {}) {
  const request = readRequestToken(await (await browser.get(path)).text());
  return browser.submit('/', {
    action: '/oauth/authorize',
    fields: { request, decision: 'allow', ...fields },
  });
}

export function parametersOf(response: Response): Fields {
  return Object.fromEntries(new URL(response.headers.get('location')!).searchParams);
}

/** A code that a signed-in person has just allowed. */
export async function newCode(browser: Browser, client: Client, given: Fields = {}) {
  const path = authorizePath(client, given);
  return parametersOf(await decide(browser, path))['code']!;
}

export const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

type TokenRequest = { headers?: Fields; fields?: Fields; path?: string };

export function postToken(api: Pick<TestApi, 'request'>, { headers, fields, path }: TokenRequest) {
  return api.request(path ?? '/api/oauth/token', {
    method: 'POST',
    headers: headers ?? {},
    body: new URLSearchParams(fields),
  });
}

/** The exchange of a confidential client, as most send it. */
export function exchange(
  api: Pick<TestApi, 'request'>,
  { client, code, ...extra }: { client: Client; code: string; fields?: Fields },
) {
  return postToken(api, {
    headers: { authorization: basic(client.clientId, client.secret) },
    fields: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: client.redirectUri,
      ...extra.fields,
    },
  });
}

export function readProfile(api: Pick<TestApi, 'request'>, token: string): Promise<Response> {
  return api.request('/api/v1/me', { headers: { authorization: `Bearer ${token}` } });
}

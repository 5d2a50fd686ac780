import { startApi } from '../http/api.ts';
import { basic, exchange, newCode, newProof, type Client, type Fields } from './oauth.ts';

export const GRANT = { grant_type: 'authorization_code' };

/** A confidential and a public client of one product, and somebody who has signed in. */
export async function startTokenScene() {
  const api = await startApi({
    limits: { authorize: 100_000, app_access: 100_000, token: 100_000 },
  });
  const product = await api.seed.product();
  const client = await api.seed.client({ product });
  const publicClient = await api.seed.client({ product, kind: 'public' });
  const person = await api.seed.person();
  const browser = api.browser();
  await browser.signIn(person);
  return {
    api,
    product,
    client,
    publicClient,
    person,
    browser,
    authorization: basic(client.clientId, client.secret),
    formOf: (code: string, of: Client = client): Fields => ({
      ...GRANT,
      code,
      redirect_uri: of.redirectUri,
    }),
    async newProven(of: Client = client) {
      const { verifier, challenge } = newProof();
      const given = { code_challenge: challenge, code_challenge_method: 'S256' };
      return { code: await newCode(browser, of, given), verifier };
    },
    isAlive: async (code: string) => (await exchange(api, { client, code })).status === 200,
  };
}

export async function errorOf(response: Response, status = 400): Promise<string> {
  if (response.status !== status) return `status ${response.status}`;
  const { error, error_description: description } = (await response.json()) as Fields;
  // T24: printable ASCII without quotes and backslashes
  if (!/^[\u0020\u0021\u0023-\u005b\u005d-\u007e]+$/.test(description!))
    return `text ${description}`;
  return error!;
}

import { Writable } from 'node:stream';
import test from 'ava';
import pino from 'pino';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi } from '../../support/http/api.ts';
import {
  authorizePath,
  basic,
  decide,
  exchange,
  newProof,
  parametersOf,
  postToken,
  readProfile,
} from '../../support/identity/oauth.ts';

let written = '';
const destination = new Writable({
  write(chunk: Buffer, _encoding, done) {
    written += chunk.toString();
    done();
  },
});
const api = await startApi({ logger: pino({ level: 'trace' }, destination) });
test.after.always(() => api.close());

test('E1 codes, tokens and secrets are 43 random characters of 62: 256 bits', (t) => {
  for (const prefix of ['gac_', 'gat_', 'gcs_'] as const) {
    const made = new Set(Array.from({ length: 200 }, () => newCredential(prefix)));
    t.is(made.size, 200);
    for (const each of made) t.regex(each, new RegExp(`^${prefix}[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`));
  }
  t.true(43 * Math.log2(62) > 160);
});

test('E3 logs and error pages contain no code, verifier, token, secret, state or cookie', async (t) => {
  const client = await api.seed.client({ product: await api.seed.product() });
  const browser = api.browser();
  const person = await api.seed.person();
  const { verifier, challenge } = newProof();
  const given = { state: 'hidden-state', code_challenge: challenge, code_challenge_method: 'S256' };
  const path = authorizePath(client, given);
  await browser.get(path);
  await browser.signIn(person);
  const { code } = parametersOf(await decide(browser, path));
  const fields = { code_verifier: verifier };
  const issued = await exchange(api, { client, code: code!, fields });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  await readProfile(api, token);
  const pages = [
    await browser.get(
      authorizePath(client, { ...given, redirect_uri: `https://x.example/${token}` }),
    ),
    await exchange(api, { client, code: code!, fields }),
    await postToken(api, {
      headers: { authorization: basic(client.clientId, `${client.secret}x`) },
    }),
    await readProfile(api, `${token}x`),
  ];
  const shown = (await Promise.all(pages.map((each) => each.text()))).join('\n');
  const cookies = [...browser.cookies.values()];
  t.true(cookies.length > 0 && written.includes('"route":"/oauth/authorize"'));
  for (const secret of [
    code!,
    verifier,
    token,
    client.secret,
    'hidden-state',
    person.email,
    ...cookies,
  ]) {
    t.false(written.includes(secret), `logged: ${secret.slice(0, 6)}`);
    t.false(shown.includes(secret), `shown: ${secret.slice(0, 6)}`);
  }
});

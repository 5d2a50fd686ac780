import test from 'ava';
import { ROUTES } from '../../../api/routes.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import {
  basic,
  exchange,
  newCode,
  newProof,
  postToken,
  readProfile,
} from '../../support/identity/oauth.ts';
import { errorOf } from '../../support/identity/token-scene.ts';
import { tokens } from './scene.ts';

const { api, product, client, publicClient, browser, authorization, formOf, newProven, isAlive } =
  tokens;

const aliveAs = async (token: string) => (await readProfile(api, token)).status;
const tokenOf = async (response: Response) =>
  ((await response.json()) as { access_token: string }).access_token;

// One clock for all: those that move it come last.
test.serial(
  'T11 code missing: invalid_request; unknown, expired or used: invalid_grant',
  async (t) => {
    t.is(await errorOf(await exchange(api, { client, code: '' })), 'invalid_request');
    const used = await newCode(browser, client);
    t.true(await isAlive(used));
    for (const code of ['gac_x', newCredential('gac_'), used, 'x'.repeat(10_000)]) {
      t.is(await errorOf(await exchange(api, { client, code })), 'invalid_grant');
    }
  },
);

test.serial(
  'T12 a code of another client: invalid_grant, and the rightful client can still use it',
  async (t) => {
    const code = await newCode(browser, client);
    const other = await api.seed.client({ product });
    t.is(await errorOf(await exchange(api, { client: other, code })), 'invalid_grant');
    t.true(await isAlive(code));
  },
);

test.serial('T13 redirect_uri missing or different: invalid_grant', async (t) => {
  const code = await newCode(browser, client);
  for (const uri of ['', 'https://app.example/cb/', 'https://APP.example/cb']) {
    const response = await exchange(api, { client, code, fields: { redirect_uri: uri } });
    t.is(await errorOf(response), 'invalid_grant');
  }
  t.true(await isAlive(code));
});

test.serial(
  'T14 a challenge with a verifier that is missing, wrong or of no right form: invalid_grant',
  async (t) => {
    const { code, verifier } = await newProven();
    for (const wrong of [
      '',
      newProof().verifier,
      verifier.slice(1),
      'x'.repeat(42),
      'x'.repeat(129),
      `${verifier}é`,
    ]) {
      const response = await exchange(api, { client, code, fields: { code_verifier: wrong } });
      t.is(await errorOf(response), 'invalid_grant', wrong);
    }
    const right = await exchange(api, { client, code, fields: { code_verifier: verifier } });
    t.is(right.status, 200);
  },
);

test.serial(
  'T14 a verifier outside of 43 to 128 characters is refused even where its hash fits',
  async (t) => {
    const { createHash } = await import('node:crypto');
    for (const short of ['short', 'ä'.repeat(43), 'x'.repeat(129)]) {
      const challenge = createHash('sha256').update(short).digest('base64url');
      const given = { code_challenge: challenge, code_challenge_method: 'S256' };
      const code = await newCode(browser, client, given);
      const response = await exchange(api, { client, code, fields: { code_verifier: short } });
      t.is(await errorOf(response), 'invalid_grant');
    }
  },
);

test.serial('T15 a verifier where no challenge was stored: invalid_grant', async (t) => {
  const code = await newCode(browser, client);
  const fields = { code_verifier: newProof().verifier };
  t.is(await errorOf(await exchange(api, { client, code, fields })), 'invalid_grant');
});

test.serial(
  'T17 of 8 parallel exchanges one gives 200, seven invalid_grant; the token works',
  async (t) => {
    const { code, verifier } = await newProven();
    const fields = { code_verifier: verifier };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => exchange(api, { client, code, fields })),
    );
    const won = answers.filter(({ status }) => status === 200);
    t.is(won.length, 1);
    for (const lost of answers.filter((answer) => answer !== won[0])) {
      t.is(await errorOf(lost), 'invalid_grant');
    }
    t.is(await aliveAs(await tokenOf(won[0]!)), 200);
  },
);

test.serial(
  'T20 consent revoked or person deleted between code and exchange: invalid_grant',
  async (t) => {
    const leaver = await api.seed.person();
    const visitor = api.browser();
    await visitor.signIn(leaver);
    const revoked = await newCode(visitor, client);
    const action = `/settings/apps/${client.clientId}/revoke`;
    t.is((await visitor.submit('/settings/apps', { action })).status, 303);
    t.is(await errorOf(await exchange(api, { client, code: revoked })), 'invalid_grant');
    const orphaned = await newCode(visitor, client);
    await api.test.query('update person set deleted_at = now() where id = $1', [leaver.id]);
    t.is(await errorOf(await exchange(api, { client, code: orphaned })), 'invalid_grant');
  },
);

test.serial('T21 a repeated form parameter: invalid_request', async (t) => {
  const code = await newCode(browser, client);
  for (const name of ['grant_type', 'code', 'redirect_uri', 'client_id', 'code_verifier']) {
    const body = new URLSearchParams(formOf(code));
    body.append(name, 'x');
    body.append(name, 'x');
    const init = { method: 'POST', headers: { authorization }, body };
    t.is(await errorOf(await api.request('/api/oauth/token', init)), 'invalid_request', name);
  }
  t.true(await isAlive(code));
});

test.serial(
  'parameters that the token endpoint does not know are ignored, however they look',
  async (t) => {
    const unknown = ['hint=jos%E9', 'foo=%', '%FF=x', 'a=%00', 'x=1&x=2', `y=${'z'.repeat(5_000)}`];
    const bodies = unknown.map((text) => Buffer.from(text));
    bodies.push(Buffer.from([0x79, 0x3d, 0xe9]));
    for (const more of bodies) {
      const form = new URLSearchParams(formOf(await newCode(browser, client))).toString();
      const response = await api.request('/api/oauth/token', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.concat([more, Buffer.from(`&${form}`)]),
      });
      t.is(response.status, 200, more.toString('latin1').slice(0, 20));
    }
  },
);

const preflight = (path: string, method: string, names: string) =>
  api.request(path, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': method,
      'access-control-request-headers': names,
    },
  });

const CROSS_ORIGIN = ROUTES.filter(({ isCrossOrigin }) => isCrossOrigin);

test.serial(
  'T23 a CORS preflight from any origin is allowed, without credentials, with the headers it asks for',
  async (t) => {
    t.true(CROSS_ORIGIN.length >= 5);
    for (const names of [
      'authorization,content-type',
      'authorization,baggage,sentry-trace,traceparent,x-requested-with',
    ]) {
      for (const { path, method } of CROSS_ORIGIN) {
        const { status, headers } = await preflight(path, method, names);
        t.is(status, 204);
        t.is(headers.get('access-control-allow-origin'), '*');
        t.is(headers.get('access-control-allow-methods'), method);
        t.is(headers.get('access-control-allow-headers'), names);
        t.is(headers.get('access-control-allow-credentials'), null);
      }
    }
  },
);

test.serial('responses to other origins expose limits and the id of the request', async (t) => {
  for (const { path, method } of CROSS_ORIGIN) {
    const headers = { origin: 'https://app.example' };
    const response = await api.request(path, { method, headers });
    const exposed = response.headers.get('access-control-expose-headers')!.split(', ');
    const wanted = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
    for (const name of [...wanted, 'retry-after', 'x-request-id'])
      t.true(exposed.includes(name), `${path} ${name}`);
  }
});

test.serial(
  'T25 a public client proves itself by its verifier; Basic with an empty secret is accepted',
  async (t) => {
    for (const way of ['body', 'basic'] as const) {
      const { code, verifier } = await newProven(publicClient);
      const response = await postToken(api, {
        headers: way === 'basic' ? { authorization: basic(publicClient.clientId, '') } : {},
        fields: {
          ...formOf(code, publicClient),
          code_verifier: verifier,
          ...(way === 'body' ? { client_id: publicClient.clientId } : {}),
        },
      });
      t.is(response.status, 200, way);
    }
  },
);

test.serial('no row is written by a request that is refused', async (t) => {
  const [before] = await api.test.query('select count(*) from access_token');
  await postToken(api, { headers: { authorization }, fields: formOf(newCredential('gac_')) });
  t.deepEqual((await api.test.query('select count(*) from access_token'))[0], before);
});

test.serial('E2 the hash of a token is stored, never the token or the code', async (t) => {
  const code = await newCode(browser, client);
  const token = await tokenOf(await exchange(api, { client, code }));
  for (const table of [
    'access_token',
    'authorization_code',
    'pending_authorization',
    'client_secret',
  ]) {
    const stored = JSON.stringify(
      await api.test.query(`select to_jsonb(t)::text as row from ${table} t`),
    );
    t.false(stored.includes(token) || stored.includes(code) || stored.includes(client.secret));
  }
});

test.serial(
  'T18 a replay after the window: invalid_grant, and the token from that code gives 401',
  async (t) => {
    const { code, verifier } = await newProven();
    const fields = { code_verifier: verifier };
    const token = await tokenOf(await exchange(api, { client, code, fields }));
    t.is(await errorOf(await exchange(api, { client, code, fields })), 'invalid_grant');
    t.is(await aliveAs(token), 200, 'a page that renders twice does not lose its token');
    await api.test.advance(11_000);
    t.is(await errorOf(await exchange(api, { client, code, fields })), 'invalid_grant');
    t.is(await aliveAs(token), 401);
  },
);

test.serial('T18 within the window too where the verifier is not right', async (t) => {
  for (const wrong of ['', 'short', newProof().verifier]) {
    const { code, verifier } = await newProven();
    const token = await tokenOf(
      await exchange(api, { client, code, fields: { code_verifier: verifier } }),
    );
    await exchange(api, { client, code, fields: { code_verifier: wrong } });
    t.is(await aliveAs(token), 401, wrong);
  }
});

test.serial('T19 a code works at 299 s and not at 301 s, by the database clock', async (t) => {
  const [young, old] = [await newCode(browser, client), await newCode(browser, client)];
  await api.test.advance(299_000);
  t.true(await isAlive(young));
  await api.test.advance(2_000);
  t.is(await errorOf(await exchange(api, { client, code: old })), 'invalid_grant');
});

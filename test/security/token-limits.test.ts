import test from 'ava';
import { newCredential } from '../../domain/shared/ids.ts';
import { startApi } from '../support/http/api.ts';
import { basic, exchange, newCode, newProof, postToken } from '../support/identity/oauth.ts';

const api = await startApi();
const product = await api.seed.product();
const browser = api.browser();
await browser.signIn(await api.seed.person());
test.after.always(() => api.close());

/** Away from the boundary, where a test's requests would fall into two windows. */
async function startWindow() {
  const [row] = await api.test.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await api.test.advance((row!.left + 1) * 1_000);
  await api.test.query('delete from rate_window');
}

/** The same as if the requests had come. */
const fill = (bucket: string, n: number) =>
  api.test.query(
    `insert into rate_window (bucket, minute, n, slot)
     select $1, minute, $2, minute % 3
     from floor(extract(epoch from gatehouse_now()) / 60) minute`,
    [bucket, n],
  );

test.serial('wrong secrets of strangers do not stop the sign-ins of an app', async (t) => {
  const client = await api.seed.client({ product });
  const code = await newCode(browser, client);
  await startWindow();
  const wrong = () =>
    postToken(api, {
      headers: { authorization: basic(client.clientId, newCredential('gcs_')) },
      fields: { grant_type: 'authorization_code', code: newCredential('gac_'), redirect_uri: 'x' },
    });
  for (let n = 0; n < 60; n += 1) t.is((await wrong()).status, 401);
  t.is((await wrong()).status, 429);
  t.is((await exchange(api, { client, code })).status, 200);
});

test.serial('made-up codes of strangers do not stop the sign-ins of a public app', async (t) => {
  const client = await api.seed.client({ product, kind: 'public' });
  const { verifier, challenge } = newProof();
  const code = await newCode(browser, client, {
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  await startWindow();
  const ask = (sent: string) =>
    postToken(api, {
      fields: {
        grant_type: 'authorization_code',
        client_id: client.clientId,
        code: sent,
        redirect_uri: client.redirectUri,
        code_verifier: verifier,
      },
    });
  for (let n = 0; n < 60; n += 1) t.is((await ask(newCredential('gac_'))).status, 400);
  t.is((await ask(newCredential('gac_'))).status, 429);
  t.is((await ask(code)).status, 200);
});

test.serial('a person who repeats a code does not stop the sign-ins of a public app', async (t) => {
  const client = await api.seed.client({ product, kind: 'public' });
  const { verifier, challenge } = newProof();
  const bound = { code_challenge: challenge, code_challenge_method: 'S256' };
  const [used, kept, last] = [
    await newCode(browser, client, bound),
    await newCode(browser, client, bound),
    await newCode(browser, client, bound),
  ];
  await startWindow();
  const ask = (code: string, code_verifier: string) =>
    postToken(api, {
      fields: {
        grant_type: 'authorization_code',
        client_id: client.clientId,
        code,
        redirect_uri: client.redirectUri,
        code_verifier,
      },
    });
  t.is((await ask(used, verifier)).status, 200);
  const other = newProof().verifier;
  for (let n = 0; n < 30; n += 1) t.is((await ask(used, verifier)).status, 400);
  for (let n = 0; n < 30; n += 1) t.is((await ask(kept, other)).status, 400);
  t.is((await ask(kept, other)).status, 429);
  t.is((await ask(last, verifier)).status, 200);
});

test.serial('a code of another app does not prove a public one', async (t) => {
  const client = await api.seed.client({ product, kind: 'public' });
  const code = await newCode(browser, await api.seed.client({ product }));
  await startWindow();
  const fields = {
    grant_type: 'authorization_code',
    client_id: client.clientId,
    code,
    redirect_uri: 'x',
  };
  t.is((await postToken(api, { fields })).status, 400);
  const counted = await api.test.query<{ bucket: string }>(
    'select bucket from rate_window order by bucket collate "C"',
  );
  t.deepEqual(
    counted.map(({ bucket }) => bucket),
    ['token_unproven:127.0.0.1', `token_unproven:${client.clientId}:127.0.0.1`],
  );
});

test.serial('an app itself has 60 proven requests a minute', async (t) => {
  const client = await api.seed.client({ product });
  const ask = async () => exchange(api, { client, code: await newCode(browser, client) });
  await startWindow();
  await fill(`token:${client.clientId}`, 59);
  const last = await ask();
  t.is(last.status, 200);
  t.is(last.headers.get('ratelimit-limit'), '60');
  t.is(last.headers.get('ratelimit-remaining'), '0');
  t.is((await ask()).status, 429);
});

test.serial('one address has 600 unproven requests a minute over all apps', async (t) => {
  const client = await api.seed.client({ product });
  const code = await newCode(browser, client);
  await startWindow();
  await fill('token_unproven:127.0.0.1', 599);
  const wrong = () =>
    postToken(api, {
      headers: { authorization: basic(client.clientId, newCredential('gcs_')) },
      fields: { grant_type: 'authorization_code', code },
    });
  t.is((await wrong()).status, 401);
  const refused = await wrong();
  t.is(refused.status, 429);
  t.is(refused.headers.get('ratelimit-limit'), '600');
  t.truthy(refused.headers.get('retry-after'));
  t.is((await exchange(api, { client, code })).status, 200);
});

test.serial('requests that come together are counted one by one', async (t) => {
  const client = await api.seed.client({ product });
  await startWindow();
  const wrong = () =>
    postToken(api, {
      headers: { authorization: basic(client.clientId, newCredential('gcs_')) },
      fields: { grant_type: 'authorization_code', code: 'x' },
    });
  const answers = await Promise.all(Array.from({ length: 80 }, wrong));
  const refused = answers.filter(({ status }) => status === 429);
  t.is(refused.length, 20);
});

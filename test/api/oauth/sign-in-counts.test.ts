import test from 'ava';
import {
  authorizePath,
  decide,
  exchange,
  newCode,
  readRequestToken,
} from '../../support/identity/oauth.ts';
import { eventually } from '../../support/eventually.ts';
import { startTokenScene } from '../../support/identity/token-scene.ts';

const { api, browser } = await startTokenScene();
test.after.always(() => api.close());

type Counts = { callbacks: number; tokens: number };

async function scene() {
  const product = await api.seed.product();
  const client = await api.seed.client({ product });
  const counts = async () =>
    (
      await api.test.query<Counts>(
        'select callbacks, tokens from integration_count where product_id = $1',
        [product.id],
      )
    )[0];
  /** Counts arrive within a second; the last of them stands for those before. */
  const reach = (wanted: Counts) =>
    eventually(
      counts,
      (found) => found?.callbacks === wanted.callbacks && found.tokens === wanted.tokens,
    );
  return { client, reach };
}

test('a sign-in that ends in a token is a callback and a token', async (t) => {
  const { client, reach } = await scene();
  const code = await newCode(browser, client);
  t.is((await exchange(api, { client, code })).status, 200);
  t.is((await exchange(api, { client, code })).status, 400, 'the code is used');
  await newCode(browser, client);
  await reach({ callbacks: 2, tokens: 1 });
});

test('a person who refuses is no callback, and a form that was sent twice is one', async (t) => {
  const { client, reach } = await scene();
  const path = authorizePath(client);
  const denied = await decide(browser, path, { decision: 'deny' });
  t.regex(denied.headers.get('location')!, /error=access_denied/);
  const request = readRequestToken(await (await browser.get(path)).text());
  const form = { action: '/oauth/authorize', fields: { request, decision: 'allow' } };
  for (let click = 1; click <= 3; click += 1) t.is((await browser.submit('/', form)).status, 303);
  await reach({ callbacks: 1, tokens: 0 });
});

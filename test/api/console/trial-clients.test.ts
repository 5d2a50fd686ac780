// What a builder may do with clients before the verification.
import test from 'ava';
import { basic, postToken } from '../../support/identity/oauth.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
test.after.always(() => api.close());

type Browser = ReturnType<typeof api.browser>;
type Form = Partial<typeof FORM>;

const FORM = { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' };

const create = (form: Form, by: Browser, to: string) =>
  by.submit('/', { action: to, fields: { ...FORM, ...form } });
const change = (clientId: string, action: string, by: Browser, to: string) =>
  by.submit('/', { action: `${to}/${clientId}`, fields: { action } });

/** What the page shows once. */
function readFresh(page: string) {
  const [, clientId = '', secret = ''] =
    /data-fresh="(gcl_\w+)"[\s\S]*?<code[^>]*>(gcs_\w+)<\/code>/.exec(page) ?? [];
  return { clientId, secret };
}

/** Whether the secret proves the client: what is wrong then is the grant. */
async function isSecretRight({ clientId, secret }: { clientId: string; secret: string }) {
  const response = await postToken(api, {
    headers: { authorization: basic(clientId, secret) },
    fields: { grant_type: 'authorization_code', code: 'gac_x' },
  });
  return ((await response.json()) as { error: string }).error === 'invalid_grant';
}

test.serial(
  'before verification only clients on loopback addresses are made and changed',
  async (t) => {
    const registrant = await api.seed.person();
    const own = await api.seed.product({ owner: registrant });
    const visitor = api.browser();
    await visitor.signIn(registrant);
    const to = `/console/products/${own.slug}/clients`;
    const page = await (await visitor.get(to)).text();
    t.regex(page, /data-trial/);
    t.regex(page, /once you are a verified builder\.\s*<a href="\/console\/verification">/);
    for (const uri of [
      'https://app.example/cb',
      'com.example.app:/cb',
      'http://localhost.example/',
    ]) {
      const uris = `http://localhost:5173/cb\n${uri}`;
      const refused = await create({ kind: 'native', redirect_uris: uris }, visitor, to);
      t.is(refused.status, 422, uri);
    }
    const loopback = 'http://localhost:5173/cb\nhttp://127.0.0.1/cb\nhttp://[::1]:8080/cb';
    const made = readFresh(
      await (await visitor.follow(await create({ redirect_uris: loopback }, visitor, to))).text(),
    );
    t.true(await isSecretRight(made));
    t.is((await change(made.clientId, 'rotate', visitor, to)).status, 303);
    const save = (clientId: string, uris: string) =>
      visitor.submit('/', {
        action: `${to}/${clientId}/redirect-uris`,
        fields: { redirect_uris: uris },
      });
    t.is((await save(made.clientId, 'https://app.example/cb')).status, 422);
    t.is((await save(made.clientId, 'http://localhost:3000/')).status, 303);

    const live = await api.seed.client({ product: own, redirectUris: ['https://app.example/cb'] });
    for (const action of ['rotate', 'disable', 'enable', 'send_iss', 'delete']) {
      const answer = await change(live.clientId, action, visitor, to);
      t.is(answer.status, 422, action);
      t.regex(await answer.text(), /other clients once you are a verified builder/);
    }
    t.is((await save(live.clientId, 'http://localhost:3000/')).status, 422);
    const shown = await (await visitor.get(to)).text();
    t.false(shown.includes(`action="${to}/${live.clientId}"`));
    t.true(shown.includes(`action="${to}/${made.clientId}"`));
    const rows = await api.test.query(
      `select uri, disabled_at, deleted_at, sends_iss from oauth_client
     join redirect_uri on client_id = id where product_id = $1 order by uri`,
      [own.id],
    );
    const untouched = { disabled_at: null, deleted_at: null };
    t.like(rows, [
      { uri: 'http://localhost:3000/', ...untouched },
      { uri: 'https://app.example/cb', ...untouched },
    ]);
  },
);

test.serial('without a confirmed address nothing is open', async (t) => {
  const registrant = await api.seed.person({ isEmailVerified: false });
  const own = await api.seed.product({ owner: registrant });
  const visitor = api.browser();
  await visitor.signIn(registrant);
  const to = `/console/products/${own.slug}/clients`;
  t.is((await create({ redirect_uris: 'http://localhost/' }, visitor, to)).status, 422);
  t.false((await (await visitor.get(to)).text()).includes('Create client'));
});

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import test from 'ava';
import { loadDemoData } from '../../dev/demo/load.ts';
import { startApi } from '../support/http/api.ts';
import { makeFolder } from '../support/engines/folder.ts';
import { basic, postToken, readProfile } from '../support/identity/oauth.ts';

const api = await startApi();
test.after.always(() => api.close());

const load = (dataDir: string) =>
  loadDemoData({
    databaseUrl: api.test.ownUrl,
    dataDir,
    secretKeys: api.config.secretKeys,
    baseUrl: api.url,
    temporalUiUrl: '',
    temporalAddress: '',
    mailboxUrl: 'http://localhost:8025',
    processor: api.config.processor,
  });

test.serial(
  'the demo has a confidential client with two redirect URIs, a public and a native one',
  async (t) => {
    const { products } = await load(makeFolder(t));
    const { clients } = products.find(({ slug }) => slug === 'paper-trail')!;
    t.deepEqual(
      clients.map(({ kind }) => kind),
      ['confidential', 'public', 'native'],
    );
    const [web, spa, native] = clients;
    t.is(web!.redirect_uris.length, 2);
    t.true(web!.redirect_uris.some((uri) => uri.includes('?')));
    t.deepEqual(native!.redirect_uris, ['http://127.0.0.1/callback']);
    t.is(spa!.client_secret, null);
    const response = await postToken(api, {
      headers: { authorization: basic(web!.client_id, web!.client_secret!) },
      fields: { grant_type: 'authorization_code', code: 'gac_x' },
    });
    t.like(await response.json(), { error: 'invalid_grant' });
  },
);

test.serial('its tokens act for the buyer, one for each set of scopes', async (t) => {
  const { tokens, people } = await load(makeFolder(t));
  const buyer = people.find(({ roles }) => roles.includes('buyer'))!;
  t.deepEqual(
    tokens.map(({ scope }) => scope),
    ['identity', 'identity entitlements'],
  );
  for (const { token, person_id: personId, product_id: productId, scope } of tokens) {
    t.is(personId, buyer.id);
    const profile = (await (await readProfile(api, token)).json()) as {
      id: string;
      entitlement?: { product_id: string };
    };
    t.is(profile.id, buyer.id);
    t.is(profile.entitlement?.product_id, scope.includes('entitlements') ? productId : undefined);
  }
});

test.serial(
  'when demo.json was lost its clients and tokens are dead, and new ones are made',
  async (t) => {
    const folder = makeFolder(t);
    const before = await load(folder);
    rmSync(join(folder, 'demo.json'));
    const after = await load(folder);
    t.is((await readProfile(api, before.tokens[0]!.token)).status, 404);
    t.is((await readProfile(api, after.tokens[0]!.token)).status, 200);
  },
);

test.serial(
  'its products open on this machine, unless somebody has typed another address',
  async (t) => {
    const folder = makeFolder(t);
    await load(folder);
    const websiteOf = async (slug: string) => {
      const sql = `select website_url from product where id = (select product_id from product_slug where slug = $1)`;
      return (await api.test.query<{ website_url: string }>(sql, [slug]))[0]!.website_url;
    };
    const placed = 'http://localhost:8025/products/tide-table';
    t.is(await websiteOf('tide-table'), placed);
    const typed = 'https://tides.example/';
    const sql = `update product set website_url = $2 where id = (select product_id from product_slug where slug = $1)`;
    await api.test.query(sql, ['tide-table', 'http://localhost:1/products/tide-table']);
    await api.test.query(sql, ['paper-trail', typed]);
    await load(folder);
    t.is(await websiteOf('tide-table'), placed);
    t.is(await websiteOf('paper-trail'), typed);
  },
);

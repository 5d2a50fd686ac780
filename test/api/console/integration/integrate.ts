import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { newCode } from '../../../support/identity/oauth.ts';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { teams } from './scene.ts';

const { api } = teams;
const rows = createDeliveryRows(api.test);
const run = promisify(execFile);

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const decode = (html: string) =>
  html.replaceAll(/&(#?)(\w+);/g, (_, isNumber: string, name: string) =>
    isNumber ? String.fromCodePoint(Number(`0${name}`)) : NAMED[name]!,
  );
/** What can be copied: values, commands and programs. */
const codesIn = (html: string) =>
  [
    ...html.matchAll(/<(?:span class="copyable[^"]*"|pre[^>]*?)\s*><code[^>]*>([^]*?)<\/code\s*>/g),
  ].map(([, code]) => decode(code!.replaceAll(/<[^>]+>/g, '')).trim());
const stepsIn = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<li\s+class="(\w+)"\s+data-step="([\w-]+)"/g)].map(([, state, name]) => [
      name!,
      state === 'done',
    ]),
  );

async function open({ state = 'listed' }: { state?: 'listed' | 'draft' } = {}) {
  const team = await teams.team(['viewer']);
  const product = await teams.productOf(team, { state });
  const { browser, person } = team.members.owner;
  const path = `/console/products/${product.slug}/integrate`;
  const read = async () => (await browser.get(path)).text();
  return { team, product, person, read, browser, path };
}

/** The commands, as a shell runs them with the credentials put in their places. */
async function shell(script: string): Promise<Record<string, unknown>> {
  const { stdout } = await run('bash', ['-euc', script]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the commands of check and usage work as they are pasted', async (t) => {
  const { product, person, read } = await open();
  const codes = codesIn(await read());
  t.deepEqual(
    [api.url, product.id].map((value) => codes.includes(value)),
    [true, true],
  );
  const keep = codes
    .find((code) => code.startsWith('export GATEHOUSE_KEY'))!
    .replace('gk_test_...', product.testKey);
  const check = codes.find((code) => code.includes('/api/v1/entitlements'))!;
  const answer = { product_id: product.id, user_id: person.id, active: false, test_mode: true };
  t.like(await shell(`${keep}\n${check}`), answer);
  const report = codes.find((code) => code.includes('/api/v1/usage'))!;
  t.like(await shell(`${keep}\n${report}`), { counted: false, test_mode: true });
  await api.requests.close();
  t.like(stepsIn(await read()), { key: true, check: true, usage: true, 'sign-in': false });
});

for (const kind of ['confidential', 'native'] as const) {
  test(`the commands of sign-in work as they are pasted: a ${kind} client`, async (t) => {
    const { product, read, browser } = await open();
    const redirectUris = ["http://localhost:4000/it's?a=1&b=2"];
    const client = await api.seed.client({ product, kind, name: 'Web', redirectUris });
    const codes = codesIn(await read());
    const authorize = codes.find((code) => code.startsWith('VERIFIER='))!;
    const { stdout } = await run('bash', ['-euc', `${authorize}\necho "$VERIFIER"`]);
    const [address, verifier] = stdout.trim().split('\n') as [string, string];
    const request = new URL(address);
    t.is(request.searchParams.get('redirect_uri'), redirectUris[0]!);
    const asked = Object.fromEntries(request.searchParams);
    const code = await newCode(browser, { ...client, redirectUri: redirectUris[0]! }, asked);
    const exchanged = codes
      .find((each) => each.startsWith('CODE='))!
      .replace('gac_...', code)
      .replace('gcs_...', String(client.secret));
    const token = await shell(`VERIFIER=${verifier}\n${exchanged}`);
    const profile = codes
      .find((each) => each.startsWith('TOKEN='))!
      .replace('gat_...', String(token['access_token']));
    t.truthy((await shell(profile))['handle']);
    await api.requests.close();
    t.like(stepsIn(await read()), { 'sign-in': true, webhook: false });
  });
}

test('a new product has nothing done, and its page says what to make first', async (t) => {
  const { product, read } = await open({ state: 'draft' });
  await api.test.query('delete from api_key where product_id = $1', [product.id]);
  const html = await read();
  t.deepEqual(stepsIn(html), {
    key: false,
    check: false,
    'sign-in': false,
    webhook: false,
    usage: false,
  });
  for (const link of ['Create a test key', 'Create a client', 'Add an endpoint']) {
    t.true(html.includes(link), link);
  }
  for (const guide of ['api-keys', 'access', 'sign-in', 'webhooks']) {
    t.true(html.includes(`href="/docs/${guide}"`), guide);
  }
});

test('evidence of this month and the last shows that usage is reported', async (t) => {
  const { product, read } = await open();
  const add = (monthsBefore: number) =>
    api.test.query(
      `insert into usage_month select gen_random_uuid(), $1, gatehouse_now(), gatehouse_now(),
         date_trunc('month', gatehouse_now() at time zone 'UTC') - make_interval(months => $2),
         1, 0, 0, 0, 0, 0`,
      [product.id, monthsBefore],
    );
  await add(2);
  t.like(stepsIn(await read()), { usage: false });
  await add(1);
  t.like(stepsIn(await read()), { usage: true });
});

test('the webhook step names the endpoint and is done after a 2xx', async (t) => {
  const { team, product, path, read } = await open();
  const url = 'https://hooks.example:8443/tok_en?x=1';
  const { id: endpointId, secret } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId };
  await rows.delivery({ ...made, status: 'dead' });
  const before = await read();
  t.false(stepsIn(before)['webhook']);
  t.true(before.includes(`/endpoints/${endpointId}`) && before.includes(url));
  t.false(before.includes(secret));
  t.true(codesIn(before).some((code) => code.includes('PORT=8443 node receive.ts')));
  t.true(codesIn(before).some((code) => code.startsWith('import hashlib')));
  await rows.delivery({ ...made, status: 'succeeded' });
  t.true(stepsIn(await read())['webhook']);
  const viewed = await (await team.members.viewer.browser.get(path)).text();
  t.false(viewed.includes('tok_en'), 'a viewer sees the host alone');
});

test('before verification the page says what is open and what waits', async (t) => {
  const { browser, person } = await teams.signedIn();
  const product = await api.seed.product({ owner: person, state: 'draft' });
  const path = `/console/products/${product.slug}/integrate`;
  const html = await (await browser.get(path)).text();
  t.regex(html, /Create a test key/);
  t.regex(html, /Live keys wait until you are <a href="\/console\/verification">verified/);
  t.regex(
    html,
    /such as <code>http:\/\/localhost:4001\/<\/code>[^]*Add an endpoint<\/a/,
    'step 4 stops nobody',
  );
  t.regex(html, /<em>Send test<\/em> wait until you are/);
  t.regex(html, /authorization\.granted/);
  const stranger = await teams.signedIn();
  t.is((await stranger.browser.get(path)).status, 404);
});

test('a product that is sold elsewhere says so', async (t) => {
  const team = await teams.team([]);
  const product = await teams.productOf(team, { delivery: 'affiliate' });
  const { browser } = team.members.owner;
  const html = await (await browser.get(`/console/products/${product.slug}/integrate`)).text();
  t.regex(html, /sold elsewhere/);
  t.false(html.includes('data-step'));
});

test('the steps show the newest client and endpoint that fit, and name the others', async (t) => {
  const { product, read } = await open();
  const at = (name: string, redirectUris: string[]) =>
    api.seed.client({ product, name, redirectUris });
  await at('Oldest', ['http://localhost:4000/callback']);
  const chosen = await at('Laptop', ['https://app.example/cb', 'http://localhost:4001/callback']);
  await at('Production', ['https://app.example/cb']);
  const disabled = await at('Off', ['http://localhost:4002/callback']);
  await api.test.query('update oauth_client set disabled_at = now() where id = $1', [
    disabled.clientId,
  ]);
  await api.test.query(
    `update oauth_client set created_at = created_at + n * interval '1 minute'
     from unnest(array['Oldest', 'Laptop', 'Production', 'Off']) with ordinality as o (name, n)
     where oauth_client.name = o.name and product_id = $1`,
    [product.id],
  );
  const endpoints = [];
  for (const [slot, minutes] of [
    [1, 0],
    [2, 2],
    [3, 1],
  ] as const) {
    const url = `https://hooks.example/${slot}`;
    const { id } = await api.seed.endpoint({ productId: product.id, url, slot });
    await api.test.query(
      `update webhook_endpoint set created_at = created_at + $2 * interval '1 minute' where id = $1`,
      [id, minutes],
    );
    endpoints.push(id);
  }
  const html = (await read()).replaceAll(/\s+/g, ' ');
  t.regex(html, /The client is <a [^>]*>Laptop<\/a>, the newest that comes back to this machine/);
  t.regex(html, /Also enabled: <a [^>]*>Production<\/a>, <a [^>]*>Oldest<\/a>\./);
  t.false(html.includes('Off</a>'));
  const codes = codesIn(await read());
  const runs = codes.filter((code) => code.startsWith('STORE='));
  t.is(runs.length, 2);
  for (const run of runs) {
    t.true(run.includes(`STORE=${api.url} CLIENT_ID=${chosen.clientId} CLIENT_SECRET='gcs_...'`));
    t.true(run.includes("REDIRECT_URI='http://localhost:4001/callback'"));
  }
  t.true(html.includes(`/endpoints/${endpoints[1]}">the endpoint's page`));
  t.regex(html, /Events go to the newest endpoint, <code class="id">https:\/\/hooks\.example\/2</);
  t.regex(
    html,
    /Also enabled: <a [^>]*>https:\/\/hooks\.example\/3<\/a>, <a [^>]*>[^<]*\/1<\/a>\./,
  );
  t.false(html.includes('localhost:3000'));
});

test('without a redirect URI on this machine the programs say which to add', async (t) => {
  const { product, read } = await open();
  const redirectUris = ['https://app.example/cb'];
  await api.seed.client({ product, kind: 'public', name: 'Spa', redirectUris });
  const html = await read();
  t.regex(html, /add\s*<code>http:\/\/localhost:4000\/callback<\/code> to the\s+client/);
  t.false(html.includes('CLIENT_SECRET=&#39;'), 'a public client has no secret');
});

test('a native client without such a URI is told of 127.0.0.1, which it may register', async (t) => {
  const { product, read } = await open();
  const redirectUris = ['com.example.app:/cb'];
  await api.seed.client({ product, kind: 'native', name: 'Desk', redirectUris });
  const html = await read();
  t.regex(html, /add\s*<code>http:\/\/127\.0\.0\.1:4000\/callback<\/code> to the\s+client/);
  t.notRegex(html, /REDIRECT_URI=\S*localhost/);
  t.notRegex(html, /add\s*<code>http:\/\/localhost/);
});

test('a native client on any port is listened for at one', async (t) => {
  const { product, read } = await open();
  const redirectUris = ['com.example.app:/cb', 'http://127.0.0.1/callback'];
  await api.seed.client({ product, kind: 'native', name: 'Desk', redirectUris });
  t.true((await read()).includes('http://127.0.0.1:4000/callback'));
});

test('the first step that was not seen is open, with its values and requests beside it', async (t) => {
  const { product, person, read } = await open();
  const client = await api.seed.client({ product, kind: 'public', name: 'Spa' });
  const states = (html: string) =>
    [...html.matchAll(/<li\s+class="(\w+)"\s+data-step[^]*?<details class="card"([^>]*)>/g)].map(
      ([, state, isOpen]) => `${state}${isOpen!.trim() === 'open' ? ', open' : ''}`,
    );
  const before = await read();
  t.deepEqual(states(before), ['done', 'now, open', 'later', 'later', 'later']);
  t.regex(before, /1 of 5 done/);
  t.regex(before, /Waiting for the first check/);
  const headers = { authorization: `Bearer ${product.testKey}` };
  await api.request(`/api/v1/entitlements?user_id=${person.id}`, { headers });
  await api.requests.close();
  const after = await read();
  t.deepEqual(states(after), ['done', 'done', 'now, open', 'later', 'later']);
  t.notRegex(after, /Waiting for the first check/);
  t.true(codesIn(after).includes(client.clientId));
  t.regex(after, />200<\/span>\s*<code>GET \/entitlements<\/code>/);
});

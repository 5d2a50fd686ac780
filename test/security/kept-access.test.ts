// Codes, secrets and leases: one conditional write of the database decides each.
import test from 'ava';
import { createDeliveryRows } from '../support/webhooks/delivery-rows.ts';
import { readSecrets, startEndpoints } from '../support/webhooks/endpoints.ts';
import { eventually } from '../support/eventually.ts';
import { basic, exchange, newProof, postToken } from '../support/identity/oauth.ts';
import { isSignedBy, startReceiver } from '../support/webhooks/receiver.ts';
import { startTokenScene } from '../support/identity/token-scene.ts';

const endpoints = await startEndpoints({ limits: { pages: 10_000, settings: 10_000 } });
const { api, browser, press, newProduct } = endpoints;
const scene = await startTokenScene();
test.after.always(() => Promise.all([api.close(), scene.api.close()]));

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const statusesOf = (responses: Response[]) => responses.map(({ status }) => status).toSorted();
const fourTimes = (send: () => Promise<Response>) => Promise.all([send(), send(), send(), send()]);

test.serial('a code works once, for its own client, redirect URI and verifier', async (t) => {
  const { client, product, newProven } = scene;
  const { code, verifier } = await newProven();
  const fields = { code_verifier: verifier };
  const stranger = await scene.api.seed.client({ product });
  const wrong = [
    { client: stranger, fields },
    { client: { ...client, redirectUri: 'https://app.example/other' }, fields },
    { client, fields: { code_verifier: newProof().verifier } },
    { client, fields: {} },
  ];
  for (const each of wrong) {
    const refused = await exchange(scene.api, { code, ...each });
    t.is(refused.status, 400);
    t.like(await refused.json(), { error: 'invalid_grant' });
  }
  const responses = await fourTimes(() => exchange(scene.api, { client, code, fields }));
  t.deepEqual(statusesOf(responses), [200, 400, 400, 400]);
  t.is((await exchange(scene.api, { client, code, fields })).status, 400);
});

test.serial(
  'of four withdrawals of a grant at once one succeeds: a write of zero rows is refused',
  async (t) => {
    const product = await newProduct();
    const { id: personId } = await api.seed.person();
    const source = `grant_${'1'.repeat(26)}`;
    const access = { productId: product.id, personId };
    await api.seed.grant(access, { type: 'complimentary', source });
    const action = `/console/products/${product.slug}/grants/${source}`;
    const responses = await fourTimes(() => press(action, { action: 'withdraw' }));
    t.deepEqual(statusesOf(responses), [303, 404, 404, 404]);
    const trail = await endpoints.auditOf(product.id);
    t.is(trail.filter((row) => row.action === 'grant.withdrawn').length, 1);
  },
);

test.serial('a rotated client secret works for 48 hours beside the new one', async (t) => {
  const product = await newProduct();
  const client = await api.seed.client({ product });
  const action = `/console/products/${product.slug}/clients/${client.clientId}`;
  const page = await (await browser.follow(await press(action, { action: 'rotate' }))).text();
  const [secret = ''] = /gcs_\w{20,}/.exec(page) ?? [];
  const isRight = async (clientSecret: string) => {
    const authorization = basic(client.clientId, clientSecret);
    const fields = { grant_type: 'authorization_code', code: 'gac_x' };
    const { error } = (await (
      await postToken(api, { headers: { authorization }, fields })
    ).json()) as { error: string };
    return error === 'invalid_grant';
  };
  t.not(secret, client.secret);
  t.deepEqual([await isRight(client.secret), await isRight(secret)], [true, true]);
  await api.test.advance(48 * HOUR_MS - MINUTE_MS);
  t.deepEqual([await isRight(client.secret), await isRight(secret)], [true, true]);
  await api.test.advance(2 * MINUTE_MS);
  t.deepEqual([await isRight(client.secret), await isRight(secret)], [false, true]);
  await endpoints.signInAgain();
});

test.serial(
  'one of several dispatchers claims each delivery, and during a rotation both secrets sign it',
  async (t) => {
    const receiver = await startReceiver();
    const product = await newProduct();
    const made = await endpoints.add(product.path, { url: receiver.url });
    const shown = await (await browser.get(made.path)).text();
    const [, replaces = ''] = /name="replaces" value="(\w+)"/.exec(shown) ?? [];
    const rotated = await press(`${made.path}/rotate`, { replaces, window_days: '1' });
    const { secret } = readSecrets(await (await browser.follow(rotated)).text());
    const deliveries = createDeliveryRows(api.test);
    const pending = { productId: product.id, endpointId: made.endpointId, dueInMinutes: 0 };
    const many = 40;
    for (let n = 0; n < many; n += 1) await deliveries.delivery({ ...pending, status: 'pending' });
    const dispatchers = [1, 2, 3].map(() => endpoints.startSending());
    t.teardown(() => receiver.close());
    try {
      await endpoints.untilSent(made.endpointId, many);
    } finally {
      await Promise.all(dispatchers.map((each) => each.stop()));
    }
    t.is(receiver.hits.length, many);
    t.is(new Set(receiver.hits.map(({ rawBody }) => rawBody.toString())).size, many);
    for (const { rawBody, headers } of receiver.hits) {
      const [now, before] = [headers['service-signature'], headers['service-signature-previous']];
      t.true(isSignedBy(secret, { rawBody, signature: now?.toString() }));
      t.true(isSignedBy(made.secret, { rawBody, signature: before?.toString() }));
    }
  },
);

test.serial('a delivery under way is leased: a second dispatcher does not send it', async (t) => {
  const [busy, quick] = [await startReceiver(), await startReceiver()];
  busy.answers = ['hang'];
  const deliveries = createDeliveryRows(api.test);
  const deliver = async ({ url }: typeof busy) => {
    const product = await newProduct();
    const { endpointId } = await endpoints.add(product.path, { url });
    const pending = { productId: product.id, endpointId, dueInMinutes: 0 };
    await deliveries.delivery({ ...pending, status: 'pending' });
    return endpointId;
  };
  await deliver(busy);
  const first = endpoints.startSending();
  await eventually(
    () => busy.hits.length,
    (hits) => hits === 1,
  );
  const second = endpoints.startSending();
  try {
    await endpoints.untilSent(await deliver(quick));
    t.is(busy.hits.length, 1);
  } finally {
    await busy.close();
    await Promise.all([first.stop(), second.stop(), quick.close()]);
  }
});

// Endpoints of a builder before the verification.
import test from 'ava';
import { decideBuilder } from '../../../../domain/identity/operators/builder.repository.ts';
import { recordEvent } from '../../../../domain/webhooks/event.repository.ts';
import { isSomebodyWaiting } from '../../../support/engines/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { authorizePath, decide, newProof } from '../../../support/identity/oauth.ts';
import { readSecrets } from '../../../support/webhooks/endpoints.ts';
import { isSignedBy, startReceiver } from '../../../support/webhooks/receiver.ts';
import { endpoints, production, sending } from './endpoint.scene.ts';

const { api, endpointRow, auditOf } = endpoints;

const EVENTS = { events: 'purchase.completed' };
const LOCAL = { ...EVENTS, url: 'http://localhost:4001/hook' };
const PUBLIC = { ...EVENTS, url: 'https://example.com/hook' };

type Person = Parameters<typeof api.seed.person>[0];

async function beginner(given: Person = {}, on = endpoints) {
  const person = await on.api.seed.person(given);
  const browser = on.api.browser();
  await browser.signIn(person);
  const product = await on.newProduct({ owner: person });
  const submit = (path: string, fields = {}) => on.press(path, fields, browser);
  const read = async (path: string) => (await browser.get(path)).text();
  return { ...product, person, browser, submit, read };
}

type Beginner = Awaited<ReturnType<typeof beginner>>;

async function addLocal({ browser, submit, path }: Beginner, fields = {}) {
  const page = await (await browser.follow(await submit(path, { ...LOCAL, ...fields }))).text();
  const [endpointId = ''] = /(?<=\/endpoints\/)[0-9a-f-]{36}(?=\/secret)/.exec(page) ?? [];
  return { endpointId, path: `${path}/${endpointId}`, ...readSecrets(page) };
}

const problemOf = (page: string) => /id="url-problem"[^>]*>([^<]*)/.exec(page)?.[1] ?? '';

test('an unverified builder adds, changes and deletes endpoints on loopback addresses alone', async (t) => {
  const builder = await beginner();
  const { id, path, submit, read } = builder;
  t.regex(await read(path), /data-trial[\s\S]*once you are a verified maker/);
  for (const url of [
    'https://example.com/hook',
    'http://hooks.localhost:4001/',
    'http://localhost.example/',
  ]) {
    const refused = await submit(path, { ...EVENTS, url });
    t.is(refused.status, 422, url);
    t.regex(problemOf(await refused.text()), /localhost.*once you are a verified maker\./, url);
  }
  t.deepEqual(await auditOf(id), []);
  const made = await addLocal(builder);
  t.regex(made.secret, /^whsec_/);
  const moved = { ...EVENTS, url: 'http://127.0.0.1:4002/other' };
  t.is(arrivalOf(await submit(made.path, moved)), `${made.path} saved`);
  const before = await endpointRow(made.endpointId);
  const away = await submit(made.path, { ...PUBLIC, events: 'entitlement.created' });
  t.is(away.status, 422);
  const page = await away.text();
  t.regex(problemOf(page), /once you are a verified maker\./);
  t.true(page.includes(PUBLIC.url), 'what was typed stays');
  t.deepEqual(await endpointRow(made.endpointId), before, 'nothing is stored');
  const state = (action: string) => submit(`${made.path}/state`, { action });
  t.is(arrivalOf(await state('disable')), `${made.path} endpoint_disabled`);
  t.is(arrivalOf(await state('enable')), `${made.path} endpoint_enabled`);
  t.is(arrivalOf(await state('delete')), `${path} endpoint_deleted`);
});

test('an unverified builder shows and rotates the secret of such an endpoint', async (t) => {
  const builder = await beginner();
  const { browser, submit, read } = builder;
  const made = await addLocal(builder);
  const secretsAfter = async (answer: Response) =>
    readSecrets(await (await browser.follow(answer)).text());
  const shown = await secretsAfter(await submit(`${made.path}/secret`));
  t.deepEqual(shown, { secret: made.secret, previous: null });
  const [, replaces = ''] = /name="replaces" value="(\w+)"/.exec(await read(made.path)) ?? [];
  const rotated = await submit(`${made.path}/rotate`, { replaces, window_days: '1' });
  t.is((await secretsAfter(rotated)).previous, made.secret);
});

test.serial(
  'an unverified builder sees the deliveries of such an endpoint, with attempts',
  async (t) => {
    const receiver = await startReceiver();
    t.teardown(() => receiver.close());
    const builder = await beginner();
    const { id: productId, slug, person, read } = builder;
    const made = await addLocal(builder, { url: receiver.url });
    const data = { purchase_id: 'pay_x', user_id: person.id, product_id: productId };
    await api.database.transaction((em) =>
      recordEvent(em, {
        productId,
        name: 'purchase.completed',
        data: { ...data, gross_minor: 100, currency: 'USD' },
      }),
    );
    sending.wake();
    const [delivery] = await endpoints.untilSent(made.endpointId);
    const { headers, rawBody } = receiver.hits[0]!;
    const signature = headers['service-signature']?.toString();
    t.true(isSignedBy(made.secret, { rawBody, signature }));
    const deliveries = `/console/products/${slug}/deliveries`;
    t.true((await read(deliveries)).includes(delivery!.id));
    const page = await read(`${deliveries}/${delivery!.id}`);
    t.true(page.includes('pay_x'), 'its contents');
    t.regex(page, /Attempt 1: <strong>200</, 'its attempts');
  },
);

test.serial(
  'whoever has allowed the own app gets a first event by revoking it, and one by signing in again',
  async (t) => {
    const receiver = await startReceiver();
    t.teardown(() => receiver.close());
    const builder = await beginner();
    const { id, slug, browser, read } = builder;
    const redirectUri = 'http://127.0.0.1:4000/callback';
    const { clientId } = await api.seed.client({
      product: { id },
      kind: 'native',
      redirectUris: [redirectUri],
    });
    const signIn = () =>
      decide(
        browser,
        authorizePath(
          { clientId, redirectUri },
          {
            response_type: 'code',
            scope: 'identity',
            code_challenge: newProof().challenge,
            code_challenge_method: 'S256',
          },
        ),
      );
    await signIn();
    const made = await addLocal(builder, {
      url: receiver.url,
      events: ['authorization.granted', 'authorization.revoked'],
    });
    await signIn();
    t.deepEqual(await endpoints.deliveriesTo(made.endpointId), [], 'the consent is the same');
    for (const page of [made.path, `/console/products/${slug}/integrate`]) {
      t.regex(await read(page), /revoke [^.]*<a href="\/settings\/apps">Connected apps<\/a>/, page);
    }
    const action = `/settings/apps/${clientId}/revoke`;
    await browser.submit('/settings/apps', { action, fields: {} });
    await signIn();
    sending.wake();
    await endpoints.untilSent(made.endpointId, 2);
    const sent = receiver.hits.map(({ headers, rawBody }) => {
      const signature = headers['service-signature']?.toString();
      return [headers['service-event'], isSignedBy(made.secret, { rawBody, signature })];
    });
    t.deepEqual(sent.toSorted(), [
      ['authorization.granted', true],
      ['authorization.revoked', true],
    ]);
    t.regex(
      await read(`/console/products/${slug}/integrate`),
      /class="done"\s+data-step="webhook"/,
    );
  },
);

test('Send test waits for the verification, and the page names the way to a first event', async (t) => {
  const builder = await beginner();
  const made = await addLocal(builder);
  const page = await builder.read(made.path);
  t.false(page.includes(`action="${made.path}/test"`));
  t.regex(page, /send tests and examples once you are a verified maker/);
  t.regex(page, /authorization\.granted/);
  for (const fields of [{}, { event: 'purchase.completed' }]) {
    const refused = await builder.submit(`${made.path}/test`, fields);
    t.is(refused.status, 422);
    t.regex(await refused.text(), /send tests and examples once you are a verified maker/);
  }
  t.deepEqual(await endpoints.deliveriesTo(made.endpointId), []);
});

test('an endpoint with another address is read-only before the verification', async (t) => {
  const { id, path, submit, read } = await beginner();
  const seeded = await api.seed.endpoint({ productId: id, url: PUBLIC.url });
  const own = `${path}/${seeded.id}`;
  const before = await endpointRow(seeded.id);
  const page = await read(own);
  t.regex(page, /other endpoints[^.]*once you are a verified maker/);
  t.false(page.includes(`action="${own}`));
  const forms: [string, object][] = [
    [own, LOCAL],
    [`${own}/secret`, {}],
    [`${own}/rotate`, { replaces: 'x', window_days: '1' }],
    ...['disable', 'enable', 'delete'].map((action): [string, object] => [
      `${own}/state`,
      { action },
    ]),
  ];
  for (const [action, fields] of forms) {
    const refused = await submit(action, fields);
    t.is(refused.status, 422, action);
    t.regex(await refused.text(), /other endpoints[^.]*once you are a verified maker/);
  }
  t.deepEqual(await endpointRow(seeded.id), before);
  t.deepEqual(await auditOf(id), []);
});

test('without a confirmed address nobody adds an endpoint', async (t) => {
  const { id, path, submit } = await beginner({ isEmailVerified: false });
  t.is((await submit(path, LOCAL)).status, 422);
  t.deepEqual(await auditOf(id), []);
});

test('where webhooks cannot reach this machine, an unverified builder has no endpoints', async (t) => {
  const { id, path, submit, read } = await beginner({}, production);
  t.notRegex(await read(path), /data-trial|Add endpoint/);
  const refused = await submit(path, { ...EVENTS, url: 'https://127.0.0.1/' });
  t.is(refused.status, 422);
  t.regex(await refused.text(), /once you are a verified maker/);
  t.deepEqual(await production.auditOf(id), []);
});

const WITHDRAWN: [what: string, fields: object][] = [
  ['a new address', PUBLIC],
  ['a deletion', { action: 'delete' }],
];

for (const [what, fields] of WITHDRAWN) {
  test.serial(`${what} waits for a withdrawn verification, and is refused`, async (t) => {
    const { id, path, person, submit } = await beginner({ isBuilder: true });
    const { id: endpointId } = await api.seed.endpoint({ productId: id, url: PUBLIC.url });
    const own = `${path}/${endpointId}`;
    const before = await endpointRow(endpointId);
    const withdrawn = await api.database.transaction(async (em) => {
      await decideBuilder(em, { personId: person.id, decision: 'withdraw', reason: '' });
      const answer = submit('action' in fields ? `${own}/state` : own, fields);
      await eventually(() => isSomebodyWaiting(api.test), Boolean);
      return { answer };
    });
    t.is((await withdrawn.answer).status, 422);
    t.deepEqual(await endpointRow(endpointId), before);
    t.deepEqual(await auditOf(id), []);
  });
}

test.serial(
  'an endpoint that another request moves elsewhere is not changed by an unverified builder',
  async (t) => {
    const builder = await beginner();
    const made = await addLocal(builder);
    const moved = await api.database.transaction(async (em) => {
      await em.execute('select id from person where id = ? for no key update', [builder.person.id]);
      const answer = builder.submit(`${made.path}/state`, { action: 'disable' });
      await eventually(() => isSomebodyWaiting(api.test), Boolean);
      await em.execute('update webhook_endpoint set url = ? where id = ?', [
        PUBLIC.url,
        made.endpointId,
      ]);
      return { answer };
    });
    t.is((await moved.answer).status, 422);
    t.like(await endpointRow(made.endpointId), { url: PUBLIC.url, disabled_at: null });
  },
);

test('a new endpoint on another address waits for a withdrawn verification, and is refused', async (t) => {
  const { id, path, person, submit } = await beginner({ isBuilder: true });
  const withdrawn = await api.database.transaction(async (em) => {
    await decideBuilder(em, { personId: person.id, decision: 'withdraw', reason: '' });
    const answer = submit(path, PUBLIC);
    await eventually(() => isSomebodyWaiting(api.test), Boolean);
    return { answer };
  });
  t.is((await withdrawn.answer).status, 422);
  t.deepEqual(await auditOf(id), []);
});

import test from 'ava';
import { EVENTS, SUBSCRIBABLE, type EventName } from '../../../../domain/webhooks/events.schema.ts';
import { isSignedBy, startReceiver } from '../../../support/webhooks/receiver.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { endpoints, sending } from './endpoint.scene.ts';

const { api, press, newProduct, add, auditOf } = endpoints;

const MINUTE_MS = 60_000;

test.serial('Send test produces a real signed webhook.test to that endpoint alone', async (t) => {
  const { path, id } = await newProduct();
  const receiver = await startReceiver();
  const other = await startReceiver();
  t.teardown(() => Promise.all([receiver.close(), other.close()]));
  const made = await add(path, { url: receiver.url });
  const beside = await add(path, { url: other.url });
  const response = await press(`${made.path}/test`);
  t.is(arrivalOf(response), `${made.path} test_sent`);
  sending.wake();
  const [delivery] = await endpoints.untilSent(made.endpointId);
  const [hit, ...more] = receiver.hits;
  t.is(more.length, 0);
  t.is(hit!.headers['service-event'], 'webhook.test');
  const signature = hit!.headers['service-signature']?.toString();
  t.true(isSignedBy(made.secret, { rawBody: hit!.rawBody, signature }));
  const envelope = JSON.parse(hit!.rawBody.toString());
  t.deepEqual(Object.keys(envelope), ['id', 'event', 'created_at', 'data']);
  t.like(envelope, { id: delivery!.id, event: 'webhook.test' });
  t.deepEqual(EVENTS['webhook.test'].data.strict().parse(envelope.data), envelope.data);
  t.like(envelope.data, { product_id: id, endpoint_id: made.endpointId });
  t.regex(envelope.data.message, /test/);
  t.is((await endpoints.deliveriesTo(beside.endpointId)).length, 0);
  t.is(other.hits.length, 0);
  t.is((await auditOf(id)).at(-1)?.action, 'endpoint.tested');
});

test.serial('test webhooks: 5 per 10 minutes per endpoint, however many are pressed', async (t) => {
  const { path, id } = await newProduct();
  const made = await add(path);
  const pressed = await Promise.all(Array.from({ length: 12 }, () => press(`${made.path}/test`)));
  t.is(pressed.filter(({ status }) => status === 303).length, 5);
  t.is((await endpoints.deliveriesTo(made.endpointId)).length, 5);
  t.is((await auditOf(id)).filter(({ action }) => action === 'endpoint.tested').length, 5);
  const sixth = await press(`${made.path}/test`);
  t.is(sixth.status, 429);
  const retryAfterS = Number(sixth.headers.get('retry-after'));
  t.true(retryAfterS > 540 && retryAfterS <= 600, String(retryAfterS));
  t.regex(await sixth.text(), /You can send the next one in 10 minutes/);
  const another = await add(path);
  t.is((await press(`${another.path}/test`)).status, 303, 'each endpoint has its own five');
  await api.test.advance(retryAfterS * 1_000 - MINUTE_MS);
  t.is((await press(`${made.path}/test`)).status, 429);
  await api.test.advance(MINUTE_MS);
  t.is((await press(`${made.path}/test`)).status, 303);
  await endpoints.signInAgain();
});

test.serial('a disabled endpoint gets no test, and none is counted', async (t) => {
  const { path } = await newProduct();
  const made = await add(path);
  await press(`${made.path}/state`, { action: 'disable' });
  for (let tries = 0; tries < 6; tries += 1) {
    const response = await press(`${made.path}/test`);
    t.is(response.status, 422);
    t.regex(await response.text(), /is disabled/);
  }
  t.is((await endpoints.deliveriesTo(made.endpointId)).length, 0);
  await press(`${made.path}/state`, { action: 'enable' });
  t.is((await press(`${made.path}/test`)).status, 303);
});

test.serial(
  'an example of each event arrives signed at that endpoint alone, and is marked',
  async (t) => {
    const { path, id, slug } = await newProduct();
    const receiver = await startReceiver();
    t.teardown(() => receiver.close());
    // It need not be subscribed to what it is shown.
    const events = ['webhook.test', ...SUBSCRIBABLE.map(({ name }) => name)].toReversed();
    for (const event of events) {
      const made = await add(path, { url: receiver.url });
      const beside = await endpoints.deliveriesTo(made.endpointId);
      t.is(beside.length, 0);
      const response = await press(`${made.path}/test`, { event });
      const isExample = event !== 'webhook.test';
      const said = isExample ? 'example_sent' : 'test_sent';
      t.is(arrivalOf(response), `${made.path} ${said}`);
      sending.wake();
      const [delivery] = await endpoints.untilSent(made.endpointId);
      const hit = receiver.hits
        .splice(0)
        .find(({ headers }) => headers['service-event'] === event)!;
      const signature = hit.headers['service-signature']?.toString();
      t.true(isSignedBy(made.secret, { rawBody: hit.rawBody, signature }));
      const envelope = JSON.parse(hit.rawBody.toString());
      t.deepEqual(Object.keys(envelope), ['id', 'event', 'created_at', 'data']);
      t.like(envelope, { id: delivery!.id, event });
      t.deepEqual(EVENTS[event as EventName].data.strict().parse(envelope.data), envelope.data);
      t.is(envelope.data.product_id, id);
      const entry = (await auditOf(id)).at(-1)!;
      t.is(entry.action, isExample ? 'endpoint.example_sent' : 'endpoint.tested');
      t.deepEqual(entry.detail, { event });
      for (const page of ['', `/${delivery!.id}`]) {
        const shown = await endpoints.browser.get(`/console/products/${slug}/deliveries${page}`);
        t.is((await shown.text()).includes('data-example'), isExample || page === '', event);
      }
      await press(`${made.path}/state`, { action: 'delete' });
    }
  },
);

test.serial('examples and tests share the budget of their endpoint', async (t) => {
  const { path, id } = await newProduct();
  const made = await add(path);
  const example = { event: 'entitlement.expired' };
  const pressed = await Promise.all(
    Array.from({ length: 8 }, (_, n) => press(`${made.path}/test`, n % 2 === 0 ? example : {})),
  );
  t.is(pressed.filter(({ status }) => status === 303).length, 5);
  t.is((await endpoints.deliveriesTo(made.endpointId)).length, 5);
  t.is((await auditOf(id)).filter(({ subject }) => subject === made.endpointId).length, 6);
  t.is((await press(`${made.path}/test`, example)).status, 429);
});

test.serial('there is no example of an event that does not exist', async (t) => {
  const { path } = await newProduct();
  const made = await add(path);
  for (const event of ['', 'nothing', 'toString', 'entitlement.created\0', ['a', 'b']]) {
    t.is((await press(`${made.path}/test`, { event })).status, 400, String(event));
  }
  t.is((await endpoints.deliveriesTo(made.endpointId)).length, 0);
});

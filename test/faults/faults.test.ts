import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { startHook } from '../chaos/hook.ts';
import { streamEvents } from '../chaos/stream.ts';
import { countOpen, examineDeliveries } from '../chaos/verdict.ts';
import { checkAccess, goToCheckout, purchaseIdOf } from '../support/purchases/buyer.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatformWithReceiver, waitForOrder } from '../support/webhooks/order.ts';
import { CARDS } from '../support/purchases/simulator.ts';

const { platform, receiver, close } = await startPlatformWithReceiver();
test.after.always(close);

const slug = 'paper-trail';
const path = `/buy/${slug}`;
/** Of clearing, which takes some hundred milliseconds. */
const MOMENT_MS = 5;

// One platform is taken apart by one test after another.
test.serial(
  'worker killed between payment and grant: after its restart one entitlement, each event once',
  async (t) => {
    const { demo, worker } = platform;
    const { person, pay } = await goToCheckout(demo, { handle: 'bob', path });
    await worker.kill('SIGKILL');
    const purchaseId = purchaseIdOf(await pay(CARDS.succeeds));
    t.like(await checkAccess(demo, { slug, personId: person.id }), { active: false });
    await worker.start();
    const { events, grants } = await waitForOrder(
      { platform, receiver },
      { purchaseId, personId: person.id },
    );
    t.deepEqual(events, ['entitlement.created', 'purchase.completed']);
    t.deepEqual(grants, [{ source: purchaseId }]);
    t.like(await checkAccess(demo, { slug, personId: person.id }), { active: true });
  },
);

test.serial(
  'worker killed at some moment of clearing: the same end, whatever the moment',
  async (t) => {
    const { demo, worker } = platform;
    const handles = ['nil', 'mia', 'olga', 'ben'];
    const buyers = await Promise.all(handles.map((handle) => goToCheckout(demo, { handle, path })));
    const orders: { personId: string; purchaseId: string }[] = [];
    // One after the other, so that the same kill meets each at another moment.
    for (const { person, pay } of buyers) {
      orders.push({ personId: person.id, purchaseId: purchaseIdOf(await pay(CARDS.succeeds)) });
      await pause(MOMENT_MS);
    }
    await worker.kill('SIGKILL');
    await worker.start();
    for (const [index, order] of orders.entries()) {
      const { events, grants } = await waitForOrder({ platform, receiver }, order);
      t.deepEqual(events, ['entitlement.created', 'purchase.completed'], handles[index]);
      t.deepEqual(grants, [{ source: order.purchaseId }], handles[index]);
    }
  },
);

test.serial(
  'Temporal down: a purchase still completes its request, and clears when Temporal is back',
  async (t) => {
    const { demo, temporalProxy, database } = platform;
    const { person, pay } = await goToCheckout(demo, { handle: 'ada', path });
    temporalProxy.cut();
    const purchaseId = purchaseIdOf(await pay(CARDS.succeeds));
    await eventually(
      () => database.query('select 1 from processor_event where purchase_id = $1', [purchaseId]),
      (rows) => rows.length > 0,
    );
    const ready = await fetch(`${demo.base_url}/api/ready`);
    t.is(ready.status, 200);
    t.like(await ready.json(), { status: 'ok', checks: { temporal: { ok: false } } });
    temporalProxy.restore();
    const { events } = await waitForOrder(
      { platform, receiver },
      { purchaseId, personId: person.id },
    );
    t.deepEqual(events, ['entitlement.created', 'purchase.completed']);
  },
);

test.serial('API killed after a usage report was answered: the day of use is there', async (t) => {
  const { demo, api, database } = platform;
  const product = demo.products.find((candidate) => candidate.slug === slug)!;
  const buyer = demo.people.find(({ handle }) => handle === 'bob')!;
  const response = await fetch(`${demo.base_url}/api/v1/usage`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${product.live_key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ kind: 'activity', user_id: buyer.id }),
  });
  t.like(await response.json(), { counted: true });
  await api.kill('SIGKILL');
  const days = await database.query(
    'select key_days <> 0 as is_there from usage_month where person_id = $1',
    [buyer.id],
  );
  t.deepEqual(days, [{ is_there: true }]);
  await api.start();
});

test.serial('API told to stop: the checks that it has answered are counted', async (t) => {
  const { demo, api, database } = platform;
  const buyer = demo.people.find(({ handle }) => handle === 'bob')!;
  const check = () => checkAccess(demo, { slug: 'tide-table', personId: buyer.id });
  await Promise.all([check(), check(), check()]);
  await api.kill('SIGTERM');
  const counted = () =>
    database.query<{ checks: number }>(
      `select checks from check_count join product_slug using (product_id)
       where slug = 'tide-table' and person_id = $1`,
      [buyer.id],
    );
  await api.start(); // meanwhile the worker adds them up
  t.deepEqual(await eventually(counted, ([row]) => row?.checks === 3), [{ checks: 3 }]);
});

for (const how of ['cut', 'hang'] as const) {
  test.serial(
    `PostgreSQL ${how === 'cut' ? 'gone' : 'hanging'}: 503, and all recovers by itself`,
    async (t) => {
      const { demo, databaseProxy, api } = platform;
      const buyer = demo.people.find(({ handle }) => handle === 'bob')!;
      const check = () => checkAccess(demo, { slug, personId: buyer.id });
      t.like(await check(), { active: true });
      databaseProxy[how]();
      // What was seen a moment ago is answered for half a second.
      const ready = await eventually(
        () => fetch(`${demo.base_url}/api/ready`),
        ({ status }) => status === 503,
      );
      t.like(await ready.json(), { status: 'unavailable', checks: { database: { ok: false } } });
      t.is((await fetch(`${demo.base_url}/api/health`)).status, 200);
      t.like(await check(), { error: 'unavailable' });
      t.is((await fetch(`${demo.base_url}/p/${slug}`)).status, 503);
      databaseProxy.restore();
      await eventually(check, (access) => access['active'] === true);
      await eventually(
        async () => (await fetch(`${demo.base_url}/api/ready`)).status,
        (status) => status === 200,
      );
      t.is((await fetch(`${demo.base_url}/p/${slug}`)).status, 200);
      t.notRegex(api.output(), /uncaught|unhandled/i);
    },
  );
}

const EVENTS = 150;
const TIMEOUT_MS = 60_000;
/** Longer than a lease. */
const LEASE_MS = 31_000;
/** Each task queue makes a start of the worker dearer. */
const DELIVERING = { WORKER_ROLES: 'dispatch,deliveries' };

// The short form of `npm run test:chaos`, on engines that all test files share: those are only cut off.
test.serial(
  'whatever dies under a stream of events: each arrives, and its attempt is recorded',
  async (t) => {
    const hook = await startHook(0);
    t.teardown(() => hook.close());
    const { database, encryptor, worker, databaseProxy, temporalProxy } = platform;
    const streaming = streamEvents(database, { encryptor, count: EVENTS, perS: 40, url: hook.url });
    await eventually(
      () => hook.hits.size,
      (size) => size > 5,
    );
    await worker.kill('SIGKILL');
    await worker.start(DELIVERING);
    databaseProxy.cut();
    await pause(300);
    databaseProxy.restore();
    temporalProxy.cut();
    await worker.kill('SIGKILL');
    temporalProxy.restore();
    await worker.start(DELIVERING);
    const productId = await streaming;
    // What the killed ones had claimed is due again when their leases are over.
    await database.advance(LEASE_MS);
    await eventually(
      () => countOpen(database, productId),
      (open) => open === 0,
      TIMEOUT_MS,
    );
    const verdict = await examineDeliveries(database, { productId, hits: hook.hits });
    t.deepEqual(verdict.wrong, []);
    t.true(verdict.deliveries >= 2 * EVENTS);
  },
);

import test from 'ava';
import { EVENTS } from '../../domain/webhooks/events.schema.ts';
import { startApi } from '../support/http/api.ts';
import { readBlocks } from '../support/repository/documents.ts';
import { createSubscriptions, type Subscribed } from '../support/subscriptions/subscriptions.ts';

const api = await startApi();
const stories = createSubscriptions({ testDatabase: api.test, database: api.database });
test.after.always(() => api.close());

type Told = { event: string; data: Record<string, unknown> };

const documented = readBlocks('docs/subscriptions.md', 'json').map(
  (block) => JSON.parse(block) as Told & { id: string; created_at: string },
);

const toldOf = ({ productId }: Subscribed) =>
  api.test.query<Told>(
    'select name as event, data from event where product_id = $1 order by created_at, id',
    [productId],
  );

/** What of it is the same for everybody: ids are of those who are meant, instants of the day. */
const shapeOf = ({ event, data }: Told) => ({
  event,
  data: Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const isOwn = name.endsWith('_id') || name === 'source' || name === 'ends_at';
      return [name, isOwn && value !== null ? typeof value : value];
    }),
  ),
});

test('the events of the documentation are those that a subscription leads to, in their order', async (t) => {
  const subscribed = await stories.subscribe();
  await stories.hear(subscribed);
  await stories.hear(subscribed, { renewals: 1 });
  await stories.requestChange(subscribed, 'cancel');
  await stories.hear(subscribed, { renewals: 1, isCancelAtPeriodEnd: true });
  await stories.requestChange(subscribed, 'resume');
  await stories.hear(subscribed, { renewals: 1 });
  const paymentId = (await stories.payments(subscribed)).at(-1)!.id;
  await stories.tell(subscribed, [{ paymentId }]);
  const told = await toldOf(subscribed);
  const isShown = ({ event }: Told) =>
    !['entitlement.renewed', 'entitlement.resumed'].includes(event);
  t.deepEqual(told.filter(isShown).map(shapeOf), documented.map(shapeOf));
  const [, created, renewed, , resumed] = told;
  t.deepEqual([renewed!.event, resumed!.event], ['entitlement.renewed', 'entitlement.resumed']);
  t.deepEqual(renewed!.data, created!.data);
  t.deepEqual(resumed!.data, created!.data);
});

test('a refund of an older month carries its payment_id, and what lapses expires', async (t) => {
  const subscribed = await stories.subscribe();
  await stories.hear(subscribed, { renewals: 1 });
  const paymentId = (await stories.payments(subscribed))[0]!.id;
  await stories.tell(subscribed, [{ paymentId }]);
  t.like((await toldOf(subscribed)).at(-1), {
    event: 'purchase.refunded',
    data: { payment_id: paymentId },
  });
  const lapsed = await stories.subscribe();
  await stories.hear(lapsed, { begun: -40, retryIn: null });
  t.like((await toldOf(lapsed)).at(-1), {
    event: 'entitlement.expired',
    data: { active: false },
  });
});

test('each example of the documentation has the shape that the reference promises', (t) => {
  t.true(documented.length > 4);
  for (const { id, event, created_at: at, data } of documented) {
    t.regex(id, /^evt_[0-9A-Z]{26}$/);
    t.is(new Date(at).toISOString(), at);
    const { shape } = EVENTS[event as keyof typeof EVENTS].data;
    t.deepEqual(
      Object.keys(data).filter((name) => !(name in shape)),
      [],
    );
    t.true(EVENTS[event as keyof typeof EVENTS].data.safeParse(data).success, event);
  }
});

import { addMonths, monthOf } from '../../../../domain/shared/instant.ts';
import test from 'ava';
import { startApi } from '../../../support/http/api.ts';
import { openSignedIn } from '../../../support/identity/session.ts';
import { createSubscriptions, DAY_MS } from '../../../support/subscriptions/subscriptions.ts';

// The clock of its database is moved on over months: what happens, happens in its order.
const api = await startApi({ limits: { settings: 1_000 } });
const stories = createSubscriptions({ testDatabase: api.test, database: api.database });
const owner = await api.seed.person({ isBuilder: true });
test.after.always(() => api.close());

const clock = async () =>
  (await api.test.query<{ now: Date }>('select gatehouse_now() as now'))[0]!.now;

/** To a day of the month that is so many after the first one: at 12:00 of UTC. */
async function goTo(start: Date, { month, day }: { month: number; day: number }) {
  const at = addMonths(start, month).getTime() + (day - 0.5) * DAY_MS;
  await api.test.advance(at - (await clock()).getTime());
}

async function read(path: string): Promise<string> {
  const browser = await openSignedIn(api, owner);
  return (await browser.get(path)).text();
}

const newProduct = async () => {
  const product = await api.seed.product({ owner, prices: { USD: 1_900 } });
  return { product, path: `/console/products/${product.slug}/recurring` };
};

const monthsOf = async (path: string) =>
  (await read(`${path}/months.csv`))
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter((cells) => cells.slice(3, 6).some((cell) => cell !== '0'))
    .map(([month, , ...cells]) => `${month} ${cells.join(' ')}`);

test.serial('what nobody has subscribed to says so, and how that is changed', async (t) => {
  const { product, path } = await newProduct();
  const page = await read(path);
  t.regex(page, /No subscriptions were active in the last twelve months/);
  t.true(page.includes(`href="/console/products/${product.slug}/prices"`));
  t.regex(await read(`${path}/months.csv`), /^month,counted_until_utc,[a-z_,]+\r\n$/);
});

const subscriberOf =
  (product: Parameters<typeof stories.orderOf>[0]) =>
  async (
    kind: 'monthly' | 'yearly' = 'monthly',
    more: { amountMinor?: number; currency?: string } = {},
  ) => {
    const order = await stories.orderOf(product, api.seed);
    return stories.subscribe(kind, { ...order, price: { ...order.price, ...more, kind } });
  };

/** What happens to a product in four months: statuses by the way. */
async function liveFourMonths(start: Date, subscribe: ReturnType<typeof subscriberOf>) {
  const { hear, tell, payments, statusOf } = stories;
  // The first month: four of 19.00 USD, one for a year, and two in other currencies.
  await goTo(start, { month: 0, day: 5 });
  const kept = await subscribe();
  const cancelled = await subscribe();
  const lapsed = await subscribe();
  const refunded = await subscribe();
  for (const each of [kept, cancelled, lapsed, refunded]) await hear(each, { begun: 0 });
  await subscribe('yearly', { amountMinor: 10_000 });
  await subscribe('yearly', { amountMinor: 1_000, currency: 'JPY' });
  await subscribe('monthly', { amountMinor: 12_345, currency: 'KWD' });
  await goTo(start, { month: 0, day: 20 });
  await stories.requestChange(cancelled, 'cancel');
  await hear(cancelled, { begun: 0, isCancelAtPeriodEnd: true });
  const statuses = [await statusOf(cancelled)];

  // The second: two renew, one has run to its end, one is refused to the last, one comes new.
  await goTo(start, { month: 1, day: 15 });
  await hear(kept, { begun: 0, renewals: 1 });
  await hear(refunded, { begun: 0, renewals: 1 });
  await hear(cancelled, { begun: 0, isCancelAtPeriodEnd: true, endedAt: 30 });
  await hear(lapsed, { begun: 0, retryIn: null, endedAt: 38 });
  const late = await subscribe();
  await hear(late, { begun: 0 });
  statuses.push(await statusOf(cancelled), await statusOf(lapsed));

  // The third: all of a running period goes back, and somebody stays for a week.
  await goTo(start, { month: 2, day: 10 });
  await hear(kept, { begun: 0, renewals: 2 });
  await tell(refunded, [{ paymentId: (await payments(refunded)).at(-1)!.id }]);
  const brief = await subscribe();
  await hear(brief, { begun: 0 });
  await goTo(start, { month: 2, day: 17 });
  await tell(brief, [{}]);
  await hear(late, { begun: 0, renewals: 1 });
  // Money of a period that is over changes nothing of this.
  await tell(kept, [{ paymentId: (await payments(kept))[0]!.id }]);
  statuses.push(await statusOf(refunded), await statusOf(brief));

  // The fourth: the renewal of the late one is tried again.
  await goTo(start, { month: 3, day: 20 });
  await hear(kept, { begun: 0, renewals: 3 });
  await hear(late, { begun: 0, renewals: 1, retryIn: 65 });
  return [...statuses, await statusOf(kept), await statusOf(late)];
}

const LIVED = ['canceling', 'ended', 'ended', 'ended', 'ended', 'active', 'past_due'];

test.serial(
  'over four months: begun, renewed, cancelled, lapsed and refunded subscriptions make these figures',
  async (t) => {
    const { product, path } = await newProduct();
    const start = addMonths(await clock(), 1);
    t.deepEqual(await liveFourMonths(start, subscriberOf(product)), LIVED);
    const [one, two, three, four] = [0, 1, 2, 3].map((month) => monthOf(addMonths(start, month)));
    t.deepEqual(await monthsOf(path), [
      // 1,000 yen a year are 83.33 a month, and yen have no hundredths.
      `${one} JPY 0 1 0 0  1 83 83 0 83`,
      `${two} JPY 1 0 0 0 0.0 1 83 83 0 83`,
      `${three} JPY 1 0 0 0 0.0 1 83 83 0 83`,
      `${four} JPY 1 0 0 0 0.0 1 83 83 0 83`,
      `${one} KWD 0 1 0 0  1 12.345 12345 12345 0`,
      `${two} KWD 1 0 0 0 0.0 1 12.345 12345 12345 0`,
      `${three} KWD 1 0 0 0 0.0 1 12.345 12345 12345 0`,
      `${four} KWD 1 0 0 0 0.0 1 12.345 12345 12345 0`,
      // 4 x 19.00 and a twelfth of 100.00.
      `${one} USD 0 5 0 0  5 84.33 8433 7600 833`,
      // Of five, two ended; 3 x 19.00 and the twelfth.
      `${two} USD 5 1 2 2 40.0 4 65.33 6533 5700 833`,
      // Of four, one was refunded; the brief one was never there at the start of a month.
      `${three} USD 4 1 2 1 25.0 3 46.33 4633 3800 833`,
      `${four} USD 3 0 0 0 0.0 3 46.33 4633 3800 833`,
    ]);
    const page = (await read(path)).replaceAll(/\s+/g, ' ');
    t.regex(page, /data-revenue="USD">46\.33 USD now from 3 subscriptions</);
    t.regex(page, /data-revenue="JPY">83 JPY now from 1 subscription</);
    t.regex(page, /data-revenue="KWD">12\.345 KWD now from 1 subscription</);
    t.regex(page, /40\.0 %/);
    t.regex(page, /25\.0 %/);
    t.regex(page, /1 failed charge \(19\.00 USD in total\)/);
    t.regex(page, /plus 1\/12 of the price/);
    t.regex(page, /ended in that month/);
    // The one that goes on is paid for until the month after, and due in each from then on.
    t.regex(page, /11 charges, 209\.00 USD/);
    t.regex(page, /1 charge, 19\.00 USD/);
    t.is(page.match(/<svg[^>]*role="img"/g)!.length, 3 + 1 + 2, 'revenue, churn, what is due');
  },
);

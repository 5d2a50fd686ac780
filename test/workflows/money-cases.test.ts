// Cases of money that a serious implementation survives, with the processor over real HTTP.
import test from 'ava';
import { eventually } from '../support/eventually.ts';
import { reconcileNow, untilNothingClears } from '../support/purchases/reconciling.ts';
import { startShop } from '../support/purchases/shop.ts';
import { CARDS } from '../support/purchases/simulator.ts';

const shop = await startShop();
const { knobs, stage, api, goToCheckout } = shop;
test.after.always(() => shop.close());

type Sale = Awaited<ReturnType<typeof goToCheckout>>;

const BOUGHT = ['entitlement.created', 'purchase.completed'];

const untilHandled = ({ inbox }: Sale, types: number) =>
  eventually(inbox, (found) => found.length === types && found.every(({ handled }) => handled));

const untilDisputed = ({ disputes }: Sale, wanted: string) =>
  eventually(disputes, (found) => found.at(-1)?.status === wanted);

/** Paid and disputed at once. */
async function sellDisputed(): Promise<Sale & { disputeId: string }> {
  const sale = await goToCheckout();
  await sale.pay(CARDS.disputed);
  await sale.reaches('cleared');
  const [dispute] = await untilDisputed(sale, 'open');
  return { ...sale, disputeId: dispute!.processor_id };
}

test.serial('the same processor event many times at once has one effect', async (t) => {
  const sale = await goToCheckout();
  await knobs.duplicate(7);
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  await untilHandled(sale, 1);
  t.deepEqual((await sale.eventNames()).toSorted(), BOUGHT);
});

test.serial('an event that arrives before our own commit waits for it', async (t) => {
  const sale = await goToCheckout();
  await knobs.hold(2);
  await sale.pay(CARDS.disputed);
  await knobs.release('reversed');
  await sale.reaches('cleared');
  await untilDisputed(sale, 'open');
  const inbox = await untilHandled(sale, 2);
  t.true(inbox.every(({ dead_letter_reason }) => dead_letter_reason === null));
});

test.serial('an early event whose adoption was missed is found by reconciliation', async (t) => {
  const sale = await goToCheckout();
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  const { id } = await knobs.dispute(sale.sessionId);
  await untilDisputed(sale, 'open');
  // As if it had come while the payment was being written.
  await api.test.query(
    `update processor_event set purchase_id = null, handled_at = null,
       dead_letter_reason = 'unknown_purchase'
     where body_id = (select id from processor_event_body where body #>> '{data,object,id}' = $1)`,
    [id],
  );
  await reconcileNow(stage);
  t.is((await untilHandled(sale, 2)).length, 2);
});

test.serial('the late failure of attempt 1 changes nothing after attempt 2', async (t) => {
  const sale = await goToCheckout();
  await knobs.hold(1);
  await sale.pay(CARDS.declined);
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  await knobs.release();
  await untilHandled(sale, 2);
  t.is(await sale.status(), 'cleared');
  t.deepEqual((await sale.eventNames()).toSorted(), BOUGHT);
});

test.serial(
  'clearing takes days: it is visible, and there is no access until cleared',
  async (t) => {
    const sale = await goToCheckout();
    await sale.pay(CARDS.clearsLate);
    await sale.reaches('clearing');
    t.false(await sale.isActive());
    t.deepEqual(await sale.eventNames(), []);
    await knobs.passDays(3);
    await sale.reaches('cleared');
    t.true(await sale.isActive());
    t.deepEqual((await sale.eventNames()).toSorted(), BOUGHT);
  },
);

test.serial(
  'a lost event of a payment is found while the buyer still looks at the page',
  async (t) => {
    const sale = await goToCheckout();
    await knobs.drop();
    await sale.pay(CARDS.succeeds);
    t.deepEqual(await sale.inbox(), []);
    await api.test.advance(11 * 60_000);
    await reconcileNow(stage);
    await sale.reaches('cleared');
    t.true(await sale.isActive());
  },
);

test.serial('a lost event of a clearing that ended is found, however old it is', async (t) => {
  const sale = await goToCheckout();
  await sale.pay(CARDS.clearsLate);
  await sale.reaches('clearing');
  await knobs.drop();
  await knobs.passDays(3);
  await untilNothingClears(stage);
  await api.test.advance(400 * 86_400_000);
  await eventually(
    async () => {
      // A reading that was still under way when time moved has set the next one.
      await api.test.advance(13 * 3_600_000);
      await reconcileNow(stage);
      return sale.status();
    },
    (status) => status === 'cleared',
  );
  t.deepEqual((await sale.inbox()).length, 1);
});

test.serial(
  'a price that is edited while the buyer pays: what was shown is fulfilled',
  async (t) => {
    const sale = await goToCheckout();
    const seller = api.browser();
    await seller.signIn(shop.seller);
    const path = `/console/products/${sale.product.slug}/prices`;
    const edit = { action: path, fields: { currency: 'USD', amount: '15.00' } };
    t.is((await seller.submit(path, edit)).status, 303);
    await sale.pay(CARDS.succeeds);
    await sale.reaches('cleared');
    t.true(await sale.isActive());
    const completed = (await sale.events()).find(({ name }) => name === 'purchase.completed');
    t.like(completed!.data, { gross_minor: 1_250, currency: 'USD' });
  },
);

test.serial('an opened dispute and an inquiry take no access', async (t) => {
  const sale = await goToCheckout();
  await sale.pay(CARDS.inquired);
  await sale.reaches('cleared');
  const [dispute] = await untilDisputed(sale, 'warning');
  t.regex(dispute!.id, /^dp_[0-9A-Z]{26}$/);
  t.true(await sale.isActive());
  const seller = api.browser();
  await seller.signIn(shop.seller);
  const page = await seller.get(`/console/products/${sale.product.slug}/disputes`);
  t.regex(await page.text(), /data-dispute="warning"/);
  const stranger = await seller.get(
    `/console/products/${(await api.seed.product()).slug}/disputes`,
  );
  t.is(stranger.status, 404);
  await knobs.decide(dispute!.processor_id, 'needs_response');
  await untilDisputed(sale, 'open');
  t.true(await sale.isActive());
  await knobs.decide(dispute!.processor_id, 'won');
  await untilDisputed(sale, 'won');
  t.true(await sale.isActive());
  t.deepEqual((await sale.eventNames()).toSorted(), BOUGHT);
});

test.serial(
  'a lost dispute withdraws access, and the events say that the bank decided',
  async (t) => {
    const sale = await sellDisputed();
    await knobs.decide(sale.disputeId, 'lost');
    await sale.reaches('charged_back');
    t.false(await sale.isActive());
    const [, , ...after] = await sale.events();
    const named = Object.fromEntries(after.map(({ name, data }) => [name, data]));
    t.deepEqual(Object.keys(named).toSorted(), ['entitlement.refunded', 'purchase.refunded']);
    t.deepEqual(named['purchase.refunded'], {
      purchase_id: sale.purchaseId,
      user_id: sale.person.id,
      product_id: sale.product.id,
      gross_minor: 1_250,
      refunded_minor: 1_250,
      currency: 'USD',
      chargeback: true,
    });
    t.like(named['entitlement.refunded'], { active: false, chargeback: true });
  },
);

test.serial('a dispute that is lost, then won on appeal, gives access again', async (t) => {
  const sale = await sellDisputed();
  await knobs.decide(sale.disputeId, 'lost');
  await sale.reaches('charged_back');
  await knobs.decide(sale.disputeId, 'won');
  await sale.reaches('cleared');
  t.true(await sale.isActive());
  t.deepEqual((await sale.eventNames()).filter((name) => name === 'entitlement.created').length, 2);
  await knobs.decide(sale.disputeId, 'lost');
  await sale.reaches('charged_back');
  t.false(await sale.isActive());
});

test.serial('a lost dispute of a part takes no access', async (t) => {
  const sale = await goToCheckout();
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  const { id } = await knobs.dispute(sale.sessionId, { amount: 400 });
  await untilDisputed(sale, 'open');
  await knobs.decide(id, 'lost');
  await untilDisputed(sale, 'lost');
  t.true(await sale.isActive());
  const last = (await sale.events()).at(-1)!;
  t.is(last.name, 'purchase.partially_refunded');
  t.like(last.data, { refunded_minor: 400, gross_minor: 1_250, chargeback: true });
  const { id: rest } = await knobs.dispute(sale.sessionId, { amount: 850, status: 'lost' });
  await sale.reaches('charged_back');
  t.truthy(rest);
  t.false(await sale.isActive());
});

test.serial('a dispute whose first event was lost is found by reconciliation', async (t) => {
  const sale = await goToCheckout();
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  await knobs.drop();
  const { id } = await knobs.dispute(sale.sessionId, { status: 'lost' });
  // Months that nobody has looked at are caught up with visit by visit.
  for (let visit = 1; visit <= 20; visit += 1) await reconcileNow(stage);
  await sale.reaches('charged_back');
  t.false(await sale.isActive());
  const found = (await sale.inbox()).filter(({ type }) => type === 'charge.dispute.created');
  t.deepEqual(found.length, 1, 'what is known is not found again');
  t.is((await sale.disputes())[0]!.processor_id, id);
});

test.serial("a dispute's fee is booked to the builder, whoever wins", async (t) => {
  const sale = await sellDisputed();
  const fees = () =>
    api.test.query<{ amount: string; currency: string }>(
      `select e.amount_minor as amount, e.currency from ledger_entry e
       join dispute d on d.id = e.dispute_id
       where d.processor_id = $1 and e.account = 'seller' and e.kind = 'dispute_fee'`,
      [sale.disputeId],
    );
  const booked = [{ amount: '-1500', currency: 'USD' }];
  t.deepEqual(await fees(), booked);
  await knobs.decide(sale.disputeId, 'won');
  await untilDisputed(sale, 'won');
  t.deepEqual(await fees(), booked);
});

test.serial('a lost event of a dispute is found by the next reading of the purchase', async (t) => {
  const sale = await sellDisputed();
  await knobs.drop();
  await knobs.decide(sale.disputeId, 'lost');
  await eventually(
    async () => {
      // A reading that was still under way when time moved has set the next one.
      await api.test.advance(25 * 3_600_000);
      await reconcileNow(stage);
      return sale.status();
    },
    (status) => status === 'charged_back',
  );
  t.false(await sale.isActive());
});

import test from 'ava';
import { createDigestActivities } from '../../../../activities/mail/digest.activities.ts';
import { composeMoneyMail } from '../../../../activities/mail/money-notice-text.ts';
import { notifyOfPayouts } from '../../../../domain/billing/notices/money-notices.repository.ts';
import type { MoneyPurpose } from '../../../../domain/identity/mail/mail-purpose.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { toMinute } from '../../../../domain/shared/instant.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { addProduct } from '../../../support/catalog/scene.ts';
import { createMemberships, type Member } from '../../../support/subscriptions/memberships.ts';
import { createSubscriptions, DAY_MS } from '../../../support/subscriptions/subscriptions.ts';

const HOUR_MS = 60 * 60 * 1_000;

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
const { query, advance } = testDatabase;
const sales = createSubscriptions({ testDatabase, database });
const members = createMemberships({ testDatabase, database });
const activities = createDigestActivities({ database });

type Mail = {
  purpose: MoneyPurpose;
  handle: string;
  facts: Record<string, string> | null;
  isQueued: boolean;
};

const mailsTo = (personId: string) =>
  query<Mail>(
    `select purpose, handle, facts, queued_at is not null as "isQueued"
     from mail_token join person on person.id = person_id
     where person_id = $1 and (subject is not null or purpose = 'payouts_stopped')
     order by mail_token.created_at, mail_token.id`,
    [personId],
  );

const purposesOf = async (personId: string) =>
  (await mailsTo(personId)).map(({ purpose }) => purpose);

const noticesOf = async (productId: string) =>
  (
    await query<{ kind: string }>(
      'select kind from notification where product_id = $1 order by created_at, id',
      [productId],
    )
  ).map(({ kind }) => kind);

const PLATFORM = { baseUrl: 'https://g.example', support: 'help@g.example', isSimulated: false };

const textOf = ({ purpose, handle, facts }: Mail) =>
  composeMoneyMail({ purpose, name: handle, facts: facts! }, PLATFORM).text;

/** A product with a page, of a seller who can be reached. */
async function openShop(kind: 'one_time' | 'monthly' = 'one_time') {
  const order = await addProduct(testDatabase, { kind });
  const { personId: sellerId, productId } = order;
  await query('update person set email_verified_at = now() where id = $1', [sellerId]);
  const slug = `shop-${productId.slice(-12)}`;
  await query('insert into product_slug (slug, product_id, is_current) values ($1, $2, true)', [
    slug,
    productId,
  ]);
  return {
    sellerId,
    productId,
    slug,
    async order() {
      const { personId } = await addProduct(testDatabase);
      return { ...order, personId };
    },
  };
}

test.serial(
  'of a day the first three sales are mailed one by one, and all of it once',
  async (t) => {
    const shop = await openShop();
    const sold = [];
    for (let n = 0; n < 5; n += 1) sold.push(await sales.paidSale(await shop.order()));
    const mails = await mailsTo(shop.sellerId);
    const one = ['sale_made', true] as const;
    t.deepEqual(
      mails.map(({ purpose, isQueued }) => [purpose, isQueued]),
      [[...one], [...one], [...one], ['sales_of_day', false]],
    );
    t.deepEqual(await noticesOf(shop.productId), ['sale_made', 'sale_made', 'sale_made']);
    const text = textOf(mails[0]!);
    t.regex(text, /bought P for .*19\.00/);
    const path = `/console/products/${shop.slug}/purchases/${sold[0]!.purchaseId}`;
    t.true(text.includes(`https://g.example${path}`));
    await activities.queueSalesDigests();
    t.is((await mailsTo(shop.sellerId)).filter(({ isQueued }) => isQueued).length, 3, 'not today');
    await advance(DAY_MS + HOUR_MS); // a day is over an hour after its end
    await Promise.all([activities.queueSalesDigests(), activities.queueSalesDigests()]);
    const [digest] = (await mailsTo(shop.sellerId)).slice(3);
    t.like(digest, { purpose: 'sales_of_day', isQueued: true });
    t.regex(textOf(digest!), /5 sales on \d+ \w{3} \d{4} \(UTC\):\n\nP: 5 for .*95\.00/);
    await sales.paidSale(await shop.order());
    t.is(
      (await purposesOf(shop.sellerId)).filter((each) => each === 'sale_made').length,
      4,
      'a new day',
    );
  },
);

test.serial('sales of the same moment take three places, not more', async (t) => {
  const shop = await openShop();
  const orders = await Promise.all(Array.from({ length: 6 }, shop.order));
  await Promise.all(orders.map((order) => sales.paidSale(order)));
  t.deepEqual((await purposesOf(shop.sellerId)).toSorted(), [
    'sale_made',
    'sale_made',
    'sale_made',
    'sales_of_day',
  ]);
});

test.serial('a purchase that is read again is mailed once', async (t) => {
  const shop = await openShop();
  const sale = await sales.paidSale(await shop.order());
  await sales.settle(sale);
  t.deepEqual(await purposesOf(shop.sellerId), ['sale_made']);
});

test.serial(
  'of a team its owners, admins and finance members are mailed, and nobody else',
  async (t) => {
    const shop = await openShop();
    const teamId = newUuid();
    await query(`insert into team (id, name) values ($1, 'Team')`, [teamId]);
    const people = new Map<string, string>();
    for (const role of ['owner', 'admin', 'developer', 'finance', 'viewer']) {
      const { sellerId } = await openShop();
      people.set(role, sellerId);
      await query('insert into team_member (team_id, person_id, role) values ($1, $2, $3)', [
        teamId,
        sellerId,
        role,
      ]);
    }
    await query('update product set owner_person_id = null, owner_team_id = $1 where id = $2', [
      teamId,
      shop.productId,
    ]);
    await sales.paidSale(await shop.order());
    const mailed = [];
    for (const [role, id] of people) if ((await purposesOf(id)).length > 0) mailed.push(role);
    t.deepEqual(mailed, ['owner', 'admin', 'finance']);
    t.deepEqual(await noticesOf(shop.productId), ['sale_made']);
  },
);

test.serial(
  'a refund is mailed to seller and buyer when the money is back, each once',
  async (t) => {
    const shop = await openShop();
    const sale = await sales.paidSale(await shop.order());
    await sales.ask(sale, 500);
    t.deepEqual(await purposesOf(sale.personId), []);
    const fact = { processorId: `re_of_${sale.purchaseId}`, amountMinor: 500 };
    await sales.tell(sale, [{ ...fact, status: 'pending' }]);
    t.deepEqual(await purposesOf(sale.personId), []);
    for (let time = 0; time < 2; time += 1)
      await sales.tell(sale, [{ ...fact, status: 'succeeded' }]);
    t.deepEqual(await purposesOf(sale.personId), ['refund_received']);
    t.deepEqual(await purposesOf(shop.sellerId), ['sale_made', 'refund_made']);
    t.deepEqual(await noticesOf(shop.productId), ['sale_made', 'refund_made']);
    const [mail] = await mailsTo(sale.personId);
    t.regex(textOf(mail!), /sent 5\.00 USD back to you for P/);
  },
);

test.serial('money that was never a sale goes back without a word to the seller', async (t) => {
  const shop = await openShop();
  const sale = await sales.newSale(await shop.order());
  await sales.settle(sale, { amountMinor: 900 });
  await sales.tell(sale, [{ amountMinor: 900 }]);
  t.deepEqual(await purposesOf(shop.sellerId), []);
  t.deepEqual(await purposesOf(sale.personId), ['refund_received']);
});

test.serial('a dispute is mailed with its due date, once, and when it becomes one', async (t) => {
  const shop = await openShop();
  const sale = await sales.paidSale(await shop.order());
  const dueAt = new Date('2027-01-31T18:00:00Z');
  await sales.dispute(sale, { status: 'warning', dueAt });
  t.deepEqual(await noticesOf(shop.productId), ['sale_made']);
  await sales.dispute(sale, { status: 'open', dueAt });
  await sales.dispute(sale, { status: 'open', dueAt });
  await sales.dispute(sale, { status: 'lost', dueAt });
  t.deepEqual(await purposesOf(shop.sellerId), ['sale_made', 'dispute_opened']);
  t.deepEqual(await noticesOf(shop.productId), ['sale_made', 'dispute_opened']);
  const text = textOf((await mailsTo(shop.sellerId))[1]!);
  t.regex(text, /answer at the payment processor by 31 Jan 2027, 18:00 UTC/);
  t.regex(text, /fraudulent/);
  t.regex(text, /help@g\.example/);
  const other = await sales.paidSale(await shop.order());
  await sales.dispute(other, { status: 'open', dueAt: null });
  const [, , , undated] = await mailsTo(shop.sellerId);
  t.notRegex(textOf(undated!), /processor by|\{/);
});

test.serial('a cancellation is mailed with its end, and so is a resumption', async (t) => {
  const shop = await openShop('monthly');
  const subscribed = await sales.subscribe('monthly', await shop.order());
  const buyer = subscribed.personId;
  await sales.hear(subscribed, {});
  t.deepEqual(await purposesOf(buyer), []);
  for (let time = 0; time < 2; time += 1) {
    await sales.hear(subscribed, { isCancelAtPeriodEnd: true });
  }
  const end = toMinute(new Date(subscribed.anchor.getTime() + 29 * DAY_MS));
  t.regex(textOf((await mailsTo(buyer))[0]!), new RegExp(`access until ${end}`));
  await sales.hear(subscribed, {});
  await sales.hear(subscribed, { isCancelAtPeriodEnd: true });
  t.deepEqual(await purposesOf(buyer), [
    'subscription_cancelled',
    'subscription_resumed',
    'subscription_cancelled',
  ]);
});

test.serial('a member is mailed the same', async (t) => {
  const member: Member = await members.subscribe();
  await members.hear(member, { isCancelAtPeriodEnd: true });
  await members.hear(member, {});
  const mails = await mailsTo(member.personId);
  t.deepEqual(
    mails.map(({ purpose }) => purpose),
    ['subscription_cancelled', 'subscription_resumed'],
  );
  t.regex(textOf(mails[0]!), /subscription to Member is cancelled/);
});

test.serial('a payout account that stops is mailed to its owners', async (t) => {
  const { sellerId } = await openShop();
  const account = `acct_${sellerId.slice(-12)}`;
  await query(
    `insert into payout_account (id, person_id, processor_account, can_charge, is_submitted)
     values (gen_random_uuid(), $1, $2, true, true)`,
    [sellerId, account],
  );
  const tell = (couldCharge: boolean, canCharge: boolean) =>
    database.transaction((em) => notifyOfPayouts(em, { account, couldCharge, canCharge }));
  for (const [before, after] of [
    [true, true],
    [false, true],
    [false, false],
  ] as const) {
    await tell(before, after);
  }
  t.deepEqual(await purposesOf(sellerId), []);
  await tell(true, false);
  t.deepEqual(await purposesOf(sellerId), ['payouts_stopped' as MoneyPurpose]);
});

test('a name in a mail is text, whatever it looks like', (t) => {
  const facts = { product: '<b>$& {amount}</b>', amount: '5', purchase: 'pay_1', slug: 's' };
  const mail = composeMoneyMail({ purpose: 'sale_made', name: 'ada', facts }, PLATFORM);
  t.true(mail.subject.includes('<b>$& {amount}</b>'));
  t.false(mail.html.includes('<b>'));
});

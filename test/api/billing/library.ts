import test from 'ava';
import { Membership } from '../../../domain/entitlements/memberships/membership.entity.ts';
import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { createSubscribers } from '../../support/subscriptions/subscribers.ts';
import { readText } from '../../support/pages/read-page.ts';
import { pay } from '../../support/purchases/simulator.ts';
import { arrivalOf } from '../../support/http/arrival.ts';
import { buying } from './scene.ts';

const { api, sell, signedIn } = buying;
const { stories, subscribed } = createSubscribers(buying);

const HOUR_MS = 3_600_000;

type Browser = ReturnType<typeof api.browser>;

const read = async (browser: Browser, path = '/library') => (await browser.get(path)).text();
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

/** A membership as somebody is given it. */
async function giveMember(personId: string, endsAt: Date | null = null): Promise<void> {
  const status = endsAt === null ? ('active' as const) : ('canceling' as const);
  const membership = { id: newUuid(), personId, status, endsAt };
  await api.database.em().insert(Membership, membership);
}

/** The products of a page, each with what it is owned through. */
function productsOf(page: string): Record<string, string[]> {
  const parts = page.split('data-product="').slice(1);
  return Object.fromEntries(
    parts.map((part) => [
      /<h3>([^<]*)</.exec(part)![1]!,
      [...part.matchAll(/data-through="(\w+)"/g)].map(([, type]) => type!),
    ]),
  );
}

// Before others include products of theirs.
test.serial(
  'the library shows each product once, with every reason why it may be used',
  async (t) => {
    const { browser, person } = await signedIn();
    const personId = person.id;
    t.regex(await read(browser), /library is empty/);
    const own = await sell({ name: 'Own', includedWithMember: true });
    await api.test.query(`update product set website_url = 'https://own.example/' where id = $1`, [
      own.id,
    ]);
    const given = await sell({ name: 'Given' });
    await sell({ name: 'Included', includedWithMember: true });
    await sell({ name: 'Draft', includedWithMember: true, state: 'draft' });
    const over = await sell({ name: 'Over' });
    const ahead = await sell({ name: 'Ahead' });
    const endsAt = ago(-3);
    await api.seed.grant({ productId: own.id, personId });
    for (const { id: productId } of [own, given]) {
      const source = newPublicId('grant_');
      await api.seed.grant({ productId, personId }, { type: 'complimentary', source, endsAt });
    }
    await api.seed.grant({ productId: over.id, personId }, { startsAt: ago(2), endsAt: ago(1) });
    await api.seed.grant({ productId: ahead.id, personId }, { startsAt: ago(-1) });
    t.deepEqual(productsOf(await read(browser)), {
      Given: ['complimentary'],
      Own: ['purchase', 'complimentary'],
    });
    await giveMember(personId, ago(-1));
    const page = await read(browser);
    t.deepEqual(productsOf(page), {
      Given: ['complimentary'],
      Included: ['member'],
      Own: ['purchase', 'complimentary', 'member'],
    });
    t.regex(page, /data-through="purchase">Purchased</);
    t.true(page.includes(endsAt.toISOString()));
    t.regex(page, /href="https:\/\/own\.example\/"\s+aria-label="Open Own"/);
    t.notRegex(page, /Open Given/);
    t.regex(page, /action="\/member\/open\/[^"]+"[^]*aria-label="Open Included"/);
  },
);

test('what is withdrawn is not there, and a removed product is not to be opened', async (t) => {
  const { browser, person } = await signedIn();
  const [gone, taken] = [await sell({ name: 'Gone' }), await sell({ name: 'Taken' })];
  for (const { id: productId } of [gone, taken]) {
    await api.seed.grant({ productId, personId: person.id });
  }
  await api.test.query(`update access_grant set withdrawn_at = now() where product_id = $1`, [
    taken.id,
  ]);
  await api.test.query(`update product set state = 'removed' where id = $1`, [gone.id]);
  const page = await read(browser);
  t.deepEqual(productsOf(page), { Gone: ['purchase'] });
  t.notRegex(page, /Open Gone/);
});

test('what was bought leads to its receipt', async (t) => {
  const product = await sell({ name: 'With receipt', prices: { USD: 1_900 } });
  const { browser, person } = await signedIn();
  await pay(buying.expectCheckout(t, await browser.get(`/buy/${product.slug}`)));
  const [purchase] = await buying.purchasesOf(product);
  const purchaseId = String(purchase!['id']);
  await stories.settle({ personId: person.id, productId: product.id, purchaseId });
  const page = await read(browser);
  t.true(page.includes(`href="/purchases/${purchaseId}/receipt"`));
  t.regex(page, /Bought on <time datetime="[^"]+">\d+ \w+ \d{4}<\/time>/);
  t.is((await browser.get(`/purchases/${purchaseId}/receipt`)).status, 200);
});

test('a subscription says what happens next, and what can be done about it', async (t) => {
  const { browser, path, story } = await subscribed(t, 'Paper Trail');
  const seen = async () => {
    const page = await read(browser);
    t.deepEqual(productsOf(page), { 'Paper Trail': ['subscription'] });
    const entries = [...page.matchAll(/aria-label="([\w ]+): Paper Trail"/g)].map(
      ([, entry]) => entry,
    );
    return { page, entries };
  };
  await stories.hear(story);
  const running = await seen();
  t.regex(running.page, /19\.00 USD a month\.\s+Renews <time/);
  t.deepEqual(running.entries, ['Update card', 'Cancel']);
  t.true(running.page.includes(`href="${path}/cancel"`));
  await browser.submit('/library', { action: `${path}/cancel` });
  t.deepEqual((await seen()).entries, ['Resume', 'Update card']);
  await stories.hear(story, { isCancelAtPeriodEnd: true });
  const cancelled = await seen();
  t.regex(cancelled.page, /Cancelled\. Access ends <time/);
  t.deepEqual(cancelled.entries, ['Resume', 'Update card']);
  const resumed = await browser.submit('/library', { action: `${path}/resume` });
  t.is(arrivalOf(resumed), `${path} subscription_resumed`);
  await stories.hear(story);
  await stories.hear(story, { begun: -30, retryIn: 1 });
  const failed = await seen();
  t.regex(failed.page, /Payment failed<[^]*pay by\s+<time[^]*to keep access/);
  t.deepEqual(failed.entries, ['Update card']);
  const card = await browser.submit('/library', { action: `${path}/card` });
  t.true(card.headers.get('location')!.startsWith(api.config.processor.apiUrl));
  await stories.hear(story, { endedAt: 0 });
  t.deepEqual(productsOf(await read(browser)), {});
});

test('the library comes fifty a page by name, and of nobody else', async (t) => {
  const { browser, person } = await signedIn();
  const hidden = await sell({ name: 'Aardvark', state: 'draft' });
  await api.test.query(
    `with made as (
       insert into product (id, owner_person_id, name, tagline, state)
       select gen_random_uuid(), $1, 'Item ' || lpad(n::text, 2, '0'), 'T.', 'listed'
       from generate_series(1, 60) n returning id),
     slugs as (
       insert into product_slug (slug, product_id, is_current) select id::text || '-x', id, true
       from made),
     opened as (
       insert into entitlement (product_id, person_id, id) select id, $1, gen_random_uuid() from made)
     insert into access_grant (id, product_id, person_id, type, source, starts_at)
     select gen_random_uuid(), id, $1, 'complimentary', 'grant_' || id, now() - interval '1 hour'
     from made`,
    [person.id],
  );
  const first = await read(browser);
  const [shown] = [Object.keys(productsOf(first))];
  t.is(shown.length, 50);
  t.is(shown[0], 'Item 01');
  const next = /href="(\/library\?after=[\w-]+)" rel="next"/.exec(first)![1]!;
  const second = await read(browser, next);
  t.deepEqual(
    Object.keys(productsOf(second)),
    Array.from({ length: 10 }, (_, index) => `Item ${51 + index}`),
  );
  t.regex(second, /rel="first"/);
  t.deepEqual(productsOf(await read((await signedIn()).browser, next)), {});
  // A product of others is no place in it.
  t.deepEqual(productsOf(await read(browser, `/library?after=${hidden.id}`)), {});
  t.is(Object.keys(productsOf(await read(browser, '/library?after=%00x'))).length, 50);
});

test('each renewal has a receipt of its own, listed with the subscription, and a mail', async (t) => {
  const { browser, person, path, story } = await subscribed(t, 'Tide Table');
  await stories.hear(story, { begun: -400, renewals: 13 });
  await stories.hear(story, { begun: -400, renewals: 13 });
  const receiptsOn = (page: string) =>
    [...page.matchAll(/data-receipt="(\w+)"/g)].map(([, id]) => id!);
  const page = await read(browser, path);
  t.is(receiptsOn(page).length, 12);
  const older = /href="(\/subscriptions\/\w+\?before=\w+)" rel="next"/.exec(page)![1]!;
  const last = await read(browser, older);
  t.is(receiptsOn(last).length, 1);
  t.true(last.includes(`href="/purchases/${story.purchaseId}/receipt"`));
  const [id] = receiptsOn(page);
  const receipt = await read(browser, `/receipts/${id}`);
  for (const words of ['Tide Table', '19.00 USD', 'Period', id!, person.email]) {
    t.true(readText(receipt).includes(words), words);
  }
  const mails = await api.test.query<{ purpose: string }>(
    `select purpose from mail_token where person_id = $1 and purpose like '%receipt'`,
    [person.id],
  );
  t.is(mails.filter(({ purpose }) => purpose === 'charge_receipt').length, 13);
  t.is(mails.filter(({ purpose }) => purpose === 'purchase_receipt').length, 1);
  const { browser: stranger } = await signedIn();
  for (const ref of [id, newPublicId('ch_'), 'x', '%00']) {
    t.is((await stranger.get(`/receipts/${ref}`)).status, 404);
  }
});

test('a renewal that was not as agreed goes back, and has no receipt', async (t) => {
  const { browser, path, story } = await subscribed(t);
  await stories.hear(story, {
    begun: -40,
    renewals: 1,
    change: (charges) => Object.assign(charges[1]!, { amountMinor: 1 }),
  });
  t.notRegex(await read(browser, path), /data-receipt=/);
});

test('a receipt says what became of its own money, and of no other period', async (t) => {
  const { browser, path, story } = await subscribed(t);
  await stories.hear(story, { begun: -40, renewals: 1 });
  const [id] = /(?<=data-receipt=")\w+/.exec(await read(browser, path))!;
  const refund = (status: string) =>
    api.test.query(`update payment set status = $2 where id = $1`, [id, status]);
  await refund('partially_refunded');
  t.regex(await read(browser, `/receipts/${id}`), />Part refunded</);
  await refund('refunded');
  t.regex(await read(browser, `/receipts/${id}`), />Refunded</);
  await api.test.query(`update purchase set status = 'refunded' where id = $1`, [story.purchaseId]);
  t.notRegex(await read(browser, `/purchases/${story.purchaseId}/receipt`), /refunded/i);
});

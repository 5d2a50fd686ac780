import { Purchase } from '../../../../domain/billing/purchases/purchase.entity.ts';
import { issueChargeReceipt } from '../../../../domain/billing/recurring/charge-receipt.repository.ts';
import { issueReceipt } from '../../../../domain/billing/receipts/receipt.repository.ts';
import { createUsage } from '../../../../dev/demo/usage.ts';
import { notify } from '../../../../domain/notifications/notification.repository.ts';
import { addAccess } from './seen-access.ts';
import { createDeliveryRows } from '../../webhooks/delivery-rows.ts';
import { holdSeal } from '../../catalog/seals.ts';
import { startPeople } from '../../identity/people.ts';
import { priceMember } from '../../subscriptions/memberships.ts';
import { makeStale, seedPasskey } from '../../identity/proving.ts';
import { sendLinks } from './page-links.ts';
import { addHome } from './seen-home.ts';
import { addPool } from './seen-pool.ts';
import type { SeedPerson } from '../../catalog/seed.ts';
import { addExtremes } from './seen-extremes.ts';
import { addSeals } from './seen-seals.ts';
import { addOperatedPool } from './seen-operated-pool.ts';
import { addOperatorTrouble } from './seen-operator-trouble.ts';
import { addRequests } from './seen-requests.ts';
import { addListing } from './seen-listing.ts';
import { addSales } from './seen-sales.ts';
import { openReadyAccount } from '../../../../packages/simulator/onboard.ts';

/** The returner is a builder who signed in a while ago, and has a passkey. */
export type Role =
  | 'visitor'
  | 'person'
  | 'registrant'
  | 'builder'
  | 'returner'
  | 'keyholder'
  | 'odd'
  | 'operator';

export type PageScene = Awaited<ReturnType<typeof startPageScene>>;

const LONG = 'A name of eighty characters, as long as names of clients may be, or very nearly so';

/** A store with people in it, for pages that have something to show. */
export async function startPageScene() {
  const people = await startPeople({
    host: 'localhost',
    limits: { authorize: 10_000, buy: 10_000 },
  });
  const { api } = people;
  const { builder, product, plain, draft, included, endpointId, ...trouble } =
    await openStore(people);
  const products = { product, plain, included };
  const { person, purchaseId, unfinishedId, client, subscriptionId, chargeId } = await usePlatform(
    people,
    products,
  );
  await addPool(api, { productId: product.id, otherId: included.id, personId: person.id });
  const unverified = await api.seed.product({ owner: person, state: 'draft' });
  const registrant = await api.seed.person({ isEmailVerified: false });
  const keyholder = await api.seed.person();
  const operator = await api.seed.person({ isOperator: true });
  const returner = await api.seed.person({ isBuilder: true });
  const kept = await api.seed.product({ owner: returner });
  for (const { id } of [keyholder, returner]) await seedPasskey(api, id);
  await api.seed.client({ product: null, name: 'Gatehouse for phones' });
  await addOperatedPool(api, { builder, person, operatorId: operator.id, ...products });
  await addOperatorTrouble(api);
  const extremes = await addExtremes(api);
  const teamId = await addHome(api, { product, included, builder, person });
  await priceMember({ database: api.database, testDatabase: api.test });
  await api.test.query(
    `update membership m set price_id = p.id, amount_minor = p.amount_minor, currency = p.currency,
       billing_interval = p.billing_interval, period_end = now() + interval '20 days'
     from member_price p`,
  );

  const { odd } = extremes;
  const known = { person, registrant, builder, returner, keyholder, odd, operator };
  const links = await sendLinks(people);
  const seen = {
    person,
    product,
    kept,
    plain,
    draft,
    unverified,
    included,
    chargeId,
    client,
    purchaseId,
    unfinishedId,
    teamId,
    subscriptionId,
    endpointId,
    ...trouble,
    ...links,
    ...extremes,
  };
  return { api, ...seen, cookiesOf: (role: Role) => readCookies(api, { role, known }) };
}

type Known = Record<Exclude<Role, 'visitor'>, SeedPerson>;

/** The cookies of somebody who plays the role; the keyholder has a passkey and no password. */
async function readCookies(api: People['api'], { role, known }: { role: Role; known: Known }) {
  if (role === 'visitor') return [];
  const browser = api.browser();
  await browser.signIn(known[role]);
  if (role === 'returner') await makeStale(api, known.returner);
  if (role === 'keyholder') {
    const sql = 'update person set password_hash = null where id = $1';
    await api.test.query(sql, [known.keyholder.id]);
  }
  return [...browser.cookies].map(([name, value]) => ({ name, value, url: api.url }));
}

const SHELF = [
  'Tide Table',
  'Quiet Hours',
  'Slow Reader',
  'Second Copy',
  'Ridge & Vale',
  'Count Me In',
  'Seedling Log',
  'Listening Post',
  'Kitchen Weights',
  'Day Sheet',
  'Halftone Desk',
  'Plain Clause',
];

/** Enough of another maker for the lists of the store: some have the seal, some are Included. */
async function fillShelves({ api }: People) {
  const maker = await api.seed.person({ isBuilder: true });
  for (const [place, name] of SHELF.entries()) {
    const includedWithMember = place % 2 === 0;
    const { id } = await api.seed.product({ owner: maker, name, includedWithMember });
    if (place < 4) await holdSeal(api.test, { productId: id });
  }
}

type People = Awaited<ReturnType<typeof startPeople>>;

async function openStore(people: People) {
  const { api } = people;
  await fillShelves(people);
  const builder = await api.seed.person({ isBuilder: true });
  const account = await openReadyAccount(api.processor, builder.email);
  await api.seed.payoutAccount(builder, { account });
  await api.test.query(
    `update payout_account set payout_seen_at = now(), failed_payout_id = 'po_1',
       failed_payout_minor = 12000, failed_payout_currency = 'USD', failed_payout_reason = 'no_account'
     where processor_account = $1`,
    [account],
  );
  const prices = { USD: 1_250, BRL: 5_900, EUR: 1_150 };
  const product = await api.seed.product({ owner: builder, name: 'Paper Trail', prices });
  const included = await api.seed.product({
    owner: builder,
    name: 'Included',
    includedWithMember: true,
  });
  await api.seed.product({ owner: builder, name: LONG });
  const plain = await api.seed.product({ owner: builder, name: 'Not for sale' });
  const draft = await api.seed.product({ owner: builder, name: 'Not yet', state: 'draft' });
  const listed = { productId: product.id, draftId: draft.id, builderId: builder.id };
  const imports = await addListing(api, listed);
  const redirectUris = [
    'https://app.example/callback',
    `https://app.example/${'long/'.repeat(30)}`,
  ];
  await api.seed.client({ product, name: 'Web', redirectUris });
  const idle = { product, kind: 'native', name: LONG.slice(0, 80) } as const;
  const { clientId } = await api.seed.client(idle);
  await api.test.query('update oauth_client set disabled_at = now() where id = $1', [clientId]);
  const url = `https://hooks.example/${'gatehouse/'.repeat(20)}in`;
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const made = { productId: product.id, endpointId };
  await addRequests(api, product.id);
  await addSales(api, product.id);
  await addAccess(api, { productId: product.id, builderId: builder.id });
  await addSeals(api, { noticedId: product.id, appealedId: included.id, builderId: builder.id });
  await createUsage(api.database.em(), { productId: product.id, knownIds: [], people: 40 });
  const trouble = await addTrouble(api, { made, builderId: builder.id });
  return { builder, product, plain, draft, included, endpointId, imports, ...trouble };
}

type Trouble = { made: { productId: string; endpointId: string }; builderId: string };

/** Deliveries of all kinds, one of them dead, a recovery, and the builder told of it. */
async function addTrouble({ test, database }: People['api'], { made, builderId }: Trouble) {
  const rows = createDeliveryRows(test);
  const answer = { statusCode: 503, error: 'http_status', bodyStart: '<h1>Away</h1>' };
  for (let n = 0; n < 60; n += 1) {
    const status = (['succeeded', 'succeeded', 'dead', 'cancelled'] as const)[n % 4]!;
    const body = '{"id":"evt_X","event":"purchase.completed"}';
    const minutesAgo = n * 41 + 2;
    const deliveryId = await rows.delivery({ ...made, status, body, minutesAgo });
    const attempt = status === 'succeeded' ? { statusCode: 200 } : answer;
    await rows.attempt({ deliveryId, step: 0, minutesAgo, ...attempt });
  }
  const waiting = { ...made, status: 'retrying' as const, step: 2, dueInMinutes: 5 };
  const waitingId = await rows.delivery({ ...waiting, minutesAgo: 1 });
  await rows.attempt({ deliveryId: waitingId, step: 1, ...answer });
  const deadId = await rows.delivery({ ...made, status: 'dead', step: 5, minutesAgo: 1 });
  for (let step = 0; step < 6; step += 1) {
    await rows.attempt({ deliveryId: deadId, step, ...answer, wasInterrupted: step === 1 });
  }
  const [recovery] = await test.query<{ path: string }>(
    `insert into recovery (id, product_id, statuses, since, until, total, done, queued, status,
       finished_at, started_by)
     select gen_random_uuid(), $1, '{dead,held}', now() - interval '2 days', now(), 90, 90, 88,
       'completed', now(), $2
     returning '/console/products/' || product_id || '/recoveries/' || id as path`,
    [made.productId, builderId],
  );
  const data = { endpointId: made.endpointId, url: 'https://hooks.example/gatehouse/in' };
  for (const kind of ['endpoint_failing', 'endpoint_disabled'] as const) {
    const notice = { kind, productId: made.productId, audience: { personId: builderId }, data };
    await database.transaction((em) => notify(em, notice));
  }
  return { deadId, waitingId, recovery: recovery!.path };
}

type Products = Record<'product' | 'plain' | 'included', { id: string; slug: string }>;

/** A monthly one whose renewal has failed. */
async function subscribe({ test }: People['api'], key: { productId: string; personId: string }) {
  const [made] = await test.query<{ id: string }>(
    `with c as (insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor,
        currency, status, expires_at)
       select gen_random_uuid(), $2, $1, o.id, r.id, r.amount_minor, r.currency, 'paid', now()
       from offer o join price r on r.offer_id = o.id where o.product_id = $1 limit 1 returning *),
     p as (insert into purchase (id, checkout_id, person_id, product_id, status, service_source,
        cleared_at)
       select 'pay_01' || repeat('1', 24), id, person_id, product_id, 'cleared', 'store', now()
       from c returning *)
     insert into subscription (id, purchase_id, person_id, product_id, price_id, amount_minor,
       currency, billing_interval, processor_id, status, began_at, period_end, past_due_at,
       grace_ends_at)
     select 'sub_01' || repeat('1', 24), p.id, p.person_id, p.product_id, c.price_id,
       c.amount_minor, c.currency, 'month', 'sub_scene', 'past_due', now() - interval '1 month',
       now(), now(), now() + interval '6 days' from p, c returning id`,
    [key.productId, key.personId],
  );
  return made!.id;
}

/** A period that was paid for, and its receipt. */
async function renew({ test, database }: People['api'], subscriptionId: string): Promise<string> {
  const [paid] = await test.query<{ id: string }>(
    `insert into payment (id, purchase_id, subscription_id, gross_minor, currency, cut_minor,
       status, processor_id, period_start, period_end)
     select 'ch_01' || repeat('1', 24), purchase_id, id, 1250, 'USD', 125, 'partially_refunded',
       'pi_period', now() - interval '1 month', now()
     from subscription where id = $1 returning id`,
    [subscriptionId],
  );
  await database.transaction((em) => issueChargeReceipt(em, paid!.id));
  return paid!.id;
}

/** Somebody who has bought, signed in to an app, and been given something. */
async function usePlatform({ api }: People, { product, plain, included }: Products) {
  const person = await api.seed.person();
  const client = await api.seed.client({ product, name: 'Paper Trail for the web' });
  await api.seed.token({ product, person, clientId: client.clientId });
  const browser = api.browser();
  await browser.signIn(person);
  await browser.get(`/buy/${product.slug}`);
  const em = api.database.em();
  const { id: purchaseId } = await em.findOneOrFail(Purchase, { personId: person.id });
  await em.nativeUpdate(Purchase, { id: purchaseId }, { status: 'cleared', clearedAt: new Date() });
  await browser.get(`/buy/${included.slug}`);
  const left = await em.findOneOrFail(Purchase, { personId: person.id, productId: included.id });
  await api.database.transaction((write) => issueReceipt(write, purchaseId));
  await api.test.query(
    `with paid as (
       insert into payment (id, purchase_id, gross_minor, currency, cut_minor, status, processor_id)
       values ('ch_1', $1, 1250, 'USD', 125, 'succeeded', 'pi_1') returning id)
     insert into dispute (id, payment_id, processor_id, amount_minor, currency, reason, status, sequence)
     select 'dp_1', id, 'du_1', 500, 'USD', 'fraudulent', 'open', 1 from paid`,
    [purchaseId],
  );
  await api.test.query(
    `insert into refund (id, payment_id, amount_minor, currency, status, reason, failure)
     select 're_' || n, 'ch_1', 250, 'USD', status, reason, failure from (values
       (1, 'submitted', 'requested_by_customer', null), (2, 'failed', null, null),
       (3, 'reversed', 'duplicate', 'expired_or_canceled_card')) r (n, status, reason, failure)`,
  );
  const bought = { type: 'purchase', source: purchaseId } as const;
  await api.seed.grant({ productId: product.id, personId: person.id }, bought);
  const week = { type: 'complimentary', endsAt: new Date(Date.now() + 604_800_000) } as const;
  await api.seed.grant({ productId: plain.id, personId: person.id }, week);
  await seedPasskey(api, person.id);
  const subscriptionId = await subscribe(api, { productId: plain.id, personId: person.id });
  const source = `pay_01${'1'.repeat(24)}`;
  const subscribed = { type: 'subscription', source } as const;
  await api.seed.grant({ productId: plain.id, personId: person.id }, subscribed);
  const chargeId = await renew(api, subscriptionId);
  return { person, purchaseId, unfinishedId: left.id, client, subscriptionId, chargeId };
}

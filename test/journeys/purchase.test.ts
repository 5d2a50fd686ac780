import test from 'ava';
import { checkAccess, goToCheckout, purchaseIdOf } from '../support/purchases/buyer.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatformWithReceiver } from '../support/webhooks/order.ts';
import { CARDS } from '../support/purchases/simulator.ts';

const { platform, receiver, close } = await startPlatformWithReceiver();
test.after.always(close);

const slug = 'paper-trail';

test('buy link, hosted checkout, clearing, entitlement, signed webhooks, and the check answers active: true', async (t) => {
  const { demo, database } = platform;
  const path = `/buy/${slug}?src=GitHub%20Readme&currency=eur`;
  const { person, pay } = await goToCheckout(demo, { handle: 'bob', path });
  const key = { slug, personId: person.id };
  const before = await checkAccess(demo, key);
  t.like(before, { active: false, type: null, source: null, ends_at: null, test_mode: false });
  const purchaseId = purchaseIdOf(await pay(CARDS.succeeds));
  const isOurs = (event: { data: Record<string, unknown> }) =>
    event.data['purchase_id'] === purchaseId;

  const completed = await receiver.waitFor('purchase.completed', isOurs);
  t.deepEqual(completed.data, {
    purchase_id: purchaseId,
    user_id: person.id,
    product_id: demo.products[0]!.id,
    gross_minor: 1800,
    currency: 'EUR',
  });
  const created = await receiver.waitFor('entitlement.created', isOurs);
  t.like(created.data, { active: true, type: 'purchase', source: purchaseId, ends_at: null });
  const after = await checkAccess(demo, key);
  t.like(after, { active: true, type: 'purchase', source: purchaseId, user_id: person.id });
  t.is(receiver.refused(), 0);

  const clicks = await database.query(
    `select source, campaign, raw from click where campaign is not null`,
  );
  t.deepEqual(clicks, [
    { source: 'buy-link:github-readme', campaign: 'github-readme', raw: 'GitHub Readme' },
  ]);
  const [purchase] = await database.query<object>(
    'select service_source, service_campaign, service_campaign_raw from purchase where id = $1',
    [purchaseId],
  );
  t.deepEqual(purchase, {
    service_source: 'github',
    service_campaign: 'github-readme',
    service_campaign_raw: 'GitHub Readme',
  });
});

test('a declined card gives no access, and another card still succeeds', async (t) => {
  const { demo, database } = platform;
  const { person, pay } = await goToCheckout(demo, { handle: 'nil', path: `/buy/${slug}` });
  const declined = await pay(CARDS.declined);
  t.is(declined.location, null);
  t.regex(declined.html, /declined/i);
  const read = async () => {
    const [row] = await database.query<{ id: string; status: string }>(
      'select id, status from purchase where person_id = $1',
      [person.id],
    );
    return row;
  };
  const pending = await read();
  t.is(pending?.status, 'pending');
  t.like(await checkAccess(demo, { slug, personId: person.id }), { active: false });

  await pay(CARDS.succeeds);
  const cleared = await eventually(read, (row) => row?.status === 'cleared');
  const isOurs = (event: { data: Record<string, unknown> }) =>
    event.data['purchase_id'] === cleared?.id;
  await receiver.waitFor('purchase.completed', isOurs);
  t.like(await checkAccess(demo, { slug, personId: person.id }), { active: true });
});

test('for a product Included with Member a subscriber is active with type member and no purchase behind it', async (t) => {
  const { demo } = platform;
  const member = demo.people.find(({ roles }) => roles.includes('member'))!;
  const access = await checkAccess(demo, { slug: 'tide-table', personId: member.id });
  t.like(access, { active: true, type: 'member', source: 'member', ends_at: null });
  t.like(await checkAccess(demo, { slug, personId: member.id }), { active: false });
});

import test from 'ava';
import type { Page } from 'playwright-core';
import { membershipWorkflow, subscriptionWorkflow } from '../../domain/outbox/workflow-targets.ts';
import { startApp } from '../support/apps/app.ts';
import { signInByOpenidClient } from '../support/apps/libraries.ts';
import { eventually } from '../support/eventually.ts';
import { fillSignIn, follow, typeCard } from '../support/pages/chromium.ts';
import { CARDS } from '../support/purchases/simulator.ts';
import {
  received,
  picture,
  signInAgain,
  startRenewalJourney,
  untilShown,
} from '../support/subscriptions/renewal-journey.ts';

const journey = await startRenewalJourney();
const { api, office, sell, newPage, isWaiting, pass } = journey;
test.after.always(() => journey.close());

const BEGUN = ['entitlement.created', 'purchase.completed'];

/** The first two are of one instant, in either order. */
const inOrder = (names: string[]) => [...names.slice(0, 2).toSorted(), ...names.slice(2)];

const idOf = async (table: 'subscription' | 'membership', { id }: { id: string }) => {
  const sql = `select id from ${table} where person_id = $1`;
  return (await api.test.query<{ id: string }>(sql, [id]))[0]!.id;
};

const isMember = (page: Page, status: string) =>
  eventually(
    async () => {
      // A page that waits for the payment loads itself again, which may end this visit.
      await page.goto('/member').catch(() => null);
      return page.locator(`[data-status=${status}]`).count();
    },
    (found) => found === 1,
  );

test.serial(
  'subscribed, an Included product opened, cancelled, and over with its period',
  async (t) => {
    const [person, product] = [
      await api.seed.person(),
      await api.seed.product({ name: 'Paper Trail', includedWithMember: true }),
    ];
    const namesOf = async () => {
      const sql = 'select name from event where product_id = $1 order by created_at, id';
      return (await api.test.query<{ name: string }>(sql, [product.id])).map(({ name }) => name);
    };
    const page = await newPage();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/member');
    await picture(page, 'member-offer');
    await follow(page, page.getByRole('link', { name: /Subscribe for 9\.99 USD/ }));
    await fillSignIn(page, person);
    await typeCard(page, CARDS.succeeds);
    await isMember(page, 'active');
    await picture(page, 'member-active');

    await page.goto('/library');
    await picture(page, 'member-library');
    await follow(page, page.getByRole('button', { name: 'Open Paper Trail' }));
    await picture(page, 'member-opened');
    t.is(new URL(page.url()).pathname, `/p/${product.slug}`);
    t.deepEqual(await namesOf(), ['entitlement.created']);

    await page.goto('/member');
    await follow(page, page.getByRole('link', { name: 'Cancel' }));
    await picture(page, 'member-cancel');
    await follow(page, page.getByRole('button', { name: 'Cancel membership' }));
    await isMember(page, 'canceling');
    await picture(page, 'member-canceling');
    await eventually(namesOf, (names) => names.includes('entitlement.canceled'));

    await pass(membershipWorkflow(await idOf('membership', person)), { timers: 2, days: 31 });
    await eventually(namesOf, (names) => names.includes('entitlement.expired'));
    await page.goto('/sign-in');
    await fillSignIn(page, person);
    await isMember(page, 'ended');
    await picture(page, 'member-ended');
    t.true(await page.getByRole('link', { name: /Subscribe for 9\.99 USD/ }).isVisible());
    await page.goto('/library');
    t.is(await page.getByText('Paper Trail').count(), 0);
  },
);

test.serial(
  'subscribed, cancelled, resumed and renewed: the library says so, and the product hears each in its order',
  async (t) => {
    const [product, person, page] = [
      await sell('Paper Trail'),
      await api.seed.person(),
      await newPage(),
    ];
    await page.goto(`/p/${product.slug}`);
    await picture(page, 'subscribe-1-product');
    await follow(page, page.getByRole('link', { name: /Subscribe for 19\.00 USD a month/ }));
    await fillSignIn(page, person);
    await picture(page, 'subscribe-2-checkout');
    await typeCard(page, CARDS.succeeds);
    await page.locator('[data-status=cleared]').waitFor();
    await picture(page, 'subscribe-3-cleared');
    await untilShown(page, '/library', 'text=Renews');
    await picture(page, 'subscribe-4-library');
    const actor = subscriptionWorkflow(await idOf('subscription', person));
    await isWaiting(actor, 1);

    await follow(page, page.getByRole('link', { name: 'Cancel: Paper Trail' }));
    await picture(page, 'subscribe-5-asks');
    await follow(page, page.getByRole('button', { name: 'Cancel subscription' }));
    await picture(page, 'subscribe-6-being-cancelled');
    await received(product.receiver, 'entitlement.canceled');
    await untilShown(page, '/library', '[data-status=canceling]');
    await picture(page, 'subscribe-7-cancelled');
    await isWaiting(actor, 2);
    await follow(page, page.getByRole('button', { name: 'Resume: Paper Trail' }));
    await received(product.receiver, 'entitlement.resumed');
    await untilShown(page, '/library', '[data-status=active]');

    await pass(actor, { timers: 3 });
    t.deepEqual(inOrder(await received(product.receiver, 'entitlement.renewed')), [
      ...BEGUN,
      'entitlement.canceled',
      'entitlement.resumed',
      'entitlement.renewed',
    ]);
    const mail = await office.mailTo(person.email, /Your receipt for Paper Trail/);
    t.regex(mail.text, /19\.00 USD/);
    await signInAgain(page, person);
    await page.goto('/library');
    await follow(page, page.getByRole('link', { name: 'Receipts for Paper Trail' }));
    await picture(page, 'subscribe-8-receipts');
    await follow(page, page.locator('[data-receipt] a').first());
    t.true(await page.getByText('Period', { exact: true }).isVisible());
    await picture(page, 'subscribe-9-receipt');
  },
);

test.serial(
  'a renewal fails: the library says so, another card mends it, and no access is lost in between',
  async (t) => {
    const [product, person, page] = [
      await sell('Tide Table'),
      await api.seed.person(),
      await newPage(),
    ];
    await page.goto(`/p/${product.slug}`);
    await follow(page, page.getByRole('link', { name: /Subscribe for/ }));
    await fillSignIn(page, person);
    await typeCard(page, CARDS.renewalsFail);
    await page.locator('[data-status=cleared]').waitFor();
    const actor = subscriptionWorkflow(await idOf('subscription', person));
    await pass(actor, { timers: 1 });
    await signInAgain(page, person);
    await untilShown(page, '/library', '[data-status=past_due]');
    t.true(await page.getByText('Payment failed').isVisible());
    await picture(page, 'mend-1-failed');
    await pass(actor, { timers: 2 });
    await office.mailTo(person.email, /could not be charged/);
    await page.goto('/library');
    await follow(page, page.getByRole('button', { name: 'Update card: Tide Table' }));
    // Days after the sign-in the form needs the password first, and goes on to the processor.
    await page.getByLabel('Your password').fill(person.password);
    await follow(page, page.getByRole('button', { name: 'Confirm', exact: true }));
    await picture(page, 'mend-2-card');
    await typeCard(page, CARDS.succeeds, /Use this card/);
    await page.locator('[data-notice=card_returned]').waitFor();
    await picture(page, 'mend-3-back');
    t.deepEqual(inOrder(await received(product.receiver, 'entitlement.renewed')), [
      ...BEGUN,
      'subscription.payment_failed',
      'subscription.payment_failed',
      'entitlement.renewed',
    ]);
    await untilShown(page, '/library', '[data-status=active]');
    t.true(await page.getByText('Renews').isVisible());
    await picture(page, 'mend-4-mended');
  },
);

test.serial(
  'a member opens an Included product and lapses when no charge succeeds: the product hears both',
  async (t) => {
    const product = await sell('Night Shift', { isIncluded: true });
    const unopened = await sell('Never Opened', { isIncluded: true });
    const [person, page] = [await api.seed.person(), await newPage()];
    await page.goto('/member');
    await picture(page, 'lapse-1-offer');
    await follow(page, page.getByRole('link', { name: /Subscribe for 9\.99 USD/ }));
    await fillSignIn(page, person);
    await typeCard(page, CARDS.renewalsFail);
    await untilShown(page, '/member', '[data-status=active]');
    await picture(page, 'lapse-2-member');
    await page.goto('/library');
    await picture(page, 'lapse-3-library');
    await follow(page, page.getByRole('button', { name: 'Open Night Shift' }));
    await picture(page, 'lapse-4-opened');
    t.deepEqual(await received(product.receiver, 'entitlement.created'), ['entitlement.created']);

    const actor = membershipWorkflow(await idOf('membership', person));
    await pass(actor, { timers: 1 });
    await signInAgain(page, person);
    await untilShown(page, '/library', '[data-membership=past_due]');
    await picture(page, 'lapse-5-failed');
    await pass(actor, { timers: 2, days: 8 });
    t.deepEqual(await received(product.receiver, 'entitlement.expired'), [
      'entitlement.created',
      'entitlement.expired',
    ]);
    t.deepEqual(unopened.receiver.hits, []);
    await page.goto('/library');
    t.is(await page.getByText('Night Shift').count(), 0);
    await picture(page, 'lapse-6-library');
    await page.goto('/member');
    t.true(await page.getByText('Ended').first().isVisible());
    await picture(page, 'lapse-7-ended');
  },
);

test.serial(
  'a person signs in to an app and revokes it in the settings: the product hears both',
  async (t) => {
    const [product, person, page] = [
      await sell('Pocket Synth'),
      await api.seed.person(),
      await newPage(),
    ];
    const app = await startApp();
    const { redirectUri } = app;
    const client = await api.seed.client({ product, redirectUris: [redirectUri] });
    app.signIn = await signInByOpenidClient({
      issuer: api.url,
      client: { ...client, redirectUri },
    });
    await page.goto(app.url);
    await fillSignIn(page, person);
    await follow(page, page.getByRole('button', { name: 'Allow', exact: true }));
    await page.waitForURL((url) => url.href.startsWith(redirectUri));
    const granted = 'authorization.granted';
    t.deepEqual(await received(product.receiver, granted), [granted]);

    await page.goto('/settings/apps');
    await page.locator('summary', { hasText: 'Revoke access' }).click();
    await follow(page, page.getByRole('button', { name: 'Revoke access' }));
    const revoked = 'authorization.revoked';
    t.deepEqual(await received(product.receiver, revoked), [granted, revoked]);
    const sent = product.receiver.hits.map(
      ({ rawBody }) => JSON.parse(rawBody.toString()) as { data: object },
    );
    for (const { data } of sent) {
      const scopes = ['identity', 'entitlements'];
      t.like(data, { user_id: person.id, product_id: product.id, scopes });
    }
    await app.close();
  },
);

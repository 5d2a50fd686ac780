// Sales and renewals of a seller who replaces the payout account.
import test from 'ava';
import { decideAttribution } from '../../domain/billing/checkout/attribution.ts';
import { recordCheckout } from '../../domain/billing/checkout/record-checkout.repository.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { isSomebodyWaiting } from '../support/engines/database.ts';
import { eventually } from '../support/eventually.ts';
import { startShop } from '../support/purchases/shop.ts';
import { CARDS } from '../support/purchases/simulator.ts';

const shop = await startShop();
const { api, goToCheckout } = shop;
test.after.always(() => shop.close());

/** The seller replaces the payout account, and sets the new one up at the processor. */
async function startReplacement() {
  const seller = api.browser();
  await seller.signIn(shop.seller);
  const product = await api.seed.product({ owner: shop.seller });
  const accounts = () =>
    api.test.query<{ account: string; replaced_at: Date | null }>(
      `select processor_account as account, replaced_at from payout_account
       where person_id = $1 order by created_at desc limit 2`,
      [shop.seller.id],
    );
  const former = (await accounts())[0]!.account;
  const payouts = `/console/products/${product.slug}/selling/payouts`;
  const replacing = await seller.submit('/console/roles', {
    action: `${payouts}/replace`,
    fields: { account: former },
  });
  const link = replacing.headers.get('location')!;
  const current = (await accounts()).find(({ replaced_at }) => replaced_at === null)!.account;
  async function finish() {
    const body = new URLSearchParams({ state: 'enabled' });
    await fetch(link, { method: 'POST', redirect: 'manual', body });
    await seller.submit('/console/roles', { action: payouts, fields: { action: 'refresh' } });
  }
  return { current, finish };
}

test.serial('renewals are paid to a new payout account once it can charge', async (t) => {
  const sale = await goToCheckout({ kind: 'monthly' });
  await sale.pay(CARDS.succeeds);
  await sale.reaches('cleared');
  const destination = async () => {
    const sql = 'select destination from simulator.subscription where session_id = $1';
    return (await api.test.query<{ destination: string }>(sql, [sale.sessionId]))[0]!.destination;
  };
  const { current, finish } = await startReplacement();
  t.not(await destination(), current);
  await finish();
  await eventually(destination, (account) => account === current);
});

test.serial('an open checkout ends when the payout account is replaced', async (t) => {
  const sale = await goToCheckout();
  const { finish } = await startReplacement();
  await eventually(
    () =>
      api.test.query(
        `select 1 from simulator.checkout_session where id = $1 and status = 'expired'`,
        [sale.sessionId],
      ),
    (found) => found.length === 1,
  );
  await sale.reaches('canceled');
  const refused = await sale.browser.get(`/buy/${sale.product.slug}`);
  t.regex(refused.headers.get('location')!, /reason=payouts_not_ready/);
  await finish();
  const again = await sale.browser.get(`/buy/${sale.product.slug}`);
  t.true(again.headers.get('location')!.startsWith(api.config.processor.apiUrl));
});

test.serial('a checkout that is opened while the account is replaced ends too', async (t) => {
  const product = await api.seed.product({ owner: shop.seller, prices: { USD: 1_250 } });
  const { person } = await shop.signedIn();
  const [price] = await api.test.query<{ id: string }>(
    'select price.id from price join offer on offer.id = offer_id where product_id = $1',
    [product.id],
  );
  const terms = { amountMinor: 1_250, currency: 'USD', isBase: true, kind: 'one_time' as const };
  let replacing: ReturnType<typeof startReplacement> | undefined;
  const opened = await api.database.transaction(async (em) => {
    const made = await recordCheckout(em, {
      personId: person.id,
      productId: product.id,
      price: { priceId: price!.id, offerId: product.offerId, ...terms },
      attribution: decideAttribution(null),
    });
    replacing = startReplacement();
    await eventually(() => isSomebodyWaiting(api.test), Boolean);
    return made;
  });
  if (opened === null || isRefusal(opened)) throw new Error('the checkout was not opened');
  const { finish } = await replacing!;
  const sql = 'select status from checkout where id = $1';
  t.deepEqual(await api.test.query(sql, [opened.checkoutId]), [{ status: 'abandoned' }]);
  await finish();
});

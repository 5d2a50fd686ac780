import test from 'ava';
import {
  BUY_REASONS,
  decideSale,
  type BuyReason,
  type SaleFacts,
} from '../../../../domain/billing/checkout/sale-requirements.ts';
import { decidePrice } from '../../../../domain/billing/checkout/price-in-currency.ts';

const sellable: SaleFacts = {
  state: 'listed',
  delivery: 'entitlement_api',
  hasActivePrice: true,
  hasCommercialOperator: true,
  canSellerCharge: true,
};

test('the reasons are a closed set, in the order in which they are told', (t) => {
  t.deepEqual(BUY_REASONS, [
    'not_listed',
    'no_active_price',
    'no_commercial_operator',
    'payouts_not_ready',
    'not_sold_here',
    'currency_not_offered',
    'currency_unknown',
    'already_owned',
    'processor_unavailable',
  ]);
});

test('a listed product with a price, a verified seller and a payout account can be bought', (t) => {
  t.is(decideSale(sellable), null);
});

const refusals: [Partial<SaleFacts>, BuyReason][] = [
  [{ state: 'unlisted' }, 'not_listed'],
  [{ delivery: 'external_store' }, 'not_sold_here'],
  [{ delivery: 'affiliate' }, 'not_sold_here'],
  [{ hasActivePrice: false }, 'no_active_price'],
  [{ hasCommercialOperator: false }, 'no_commercial_operator'],
  [{ canSellerCharge: false }, 'payouts_not_ready'],
  [{ state: 'unlisted', hasActivePrice: false, canSellerCharge: false }, 'not_listed'],
  [{ hasActivePrice: false, hasCommercialOperator: false }, 'no_active_price'],
  [{ hasActivePrice: false, delivery: 'affiliate' }, 'no_active_price'],
  [{ hasCommercialOperator: false, canSellerCharge: false }, 'no_commercial_operator'],
  [{ canSellerCharge: false, delivery: 'external_store' }, 'payouts_not_ready'],
];

for (const [change, reason] of refusals) {
  test(`${JSON.stringify(change)} is refused as ${reason}`, (t) => {
    t.is(decideSale({ ...sellable, ...change }), reason);
  });
}

const kind = 'one_time' as const;
const usd = { priceId: 'p1', offerId: 'o', amountMinor: 1000, currency: 'USD', isBase: true, kind };
const eur = { ...usd, priceId: 'p2', currency: 'EUR', amountMinor: 900, isBase: false };
const asked = (currency: string | null) => ({ currency, isKnown: true });

test('absent currency means the base price', (t) => {
  t.is(decidePrice([eur, usd], asked(null)), usd);
});

test('without its base price a product is sold only in the currency that is asked for', (t) => {
  t.deepEqual(decidePrice([eur], asked(null)), { refused: 'currency_not_offered' });
  t.is(decidePrice([eur], asked('EUR')), eur);
  t.deepEqual(decidePrice([], asked(null)), { refused: 'no_active_price' });
});

test('a currency that is priced is charged at its own price', (t) => {
  t.is(decidePrice([usd, eur], asked('EUR')), eur);
});

test('a currency that is not priced is refused, never checked out in another currency', (t) => {
  t.deepEqual(decidePrice([usd, eur], asked('GBP')), { refused: 'currency_not_offered' });
});

test('what is not an ISO 4217 code is refused as unknown', (t) => {
  const refusal = decidePrice([usd], { currency: 'ABC', isKnown: false });
  t.deepEqual(refusal, { refused: 'currency_unknown' });
});

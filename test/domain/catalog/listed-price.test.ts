import test from 'ava';
import { decideListedPrice } from '../../../domain/catalog/prices/listed-price.ts';

const price = (
  amountMinor: number,
  currency: string,
  kind: 'one_time' | 'monthly' = 'one_time',
) => ({
  amountMinor,
  currency,
  kind,
});

test('the lowest price in the currency that the page shows first, and whether there are others', (t) => {
  const [once, euro, monthly] = [
    price(9_900, 'USD'),
    price(100, 'EUR'),
    price(900, 'USD', 'monthly'),
  ];
  t.is(decideListedPrice([]), null);
  t.deepEqual(decideListedPrice([once]), { price: once, isLowest: false });
  t.deepEqual(decideListedPrice([once, euro]), { price: once, isLowest: false });
  t.deepEqual(decideListedPrice([once, euro, monthly]), { price: monthly, isLowest: true });
});

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

test('a list shows the price that the page shows first, and From only before higher ones of its kind', (t) => {
  const [once, euro, monthly] = [
    price(9_900, 'USD'),
    price(100, 'EUR'),
    price(900, 'USD', 'monthly'),
  ];
  t.is(decideListedPrice([]), null);
  t.deepEqual(decideListedPrice([once]), { price: once, isLowest: false });
  t.deepEqual(decideListedPrice([once, euro]), { price: once, isLowest: false });
  t.deepEqual(decideListedPrice([once, euro, monthly]), { price: once, isLowest: false });
  const [higher, lower] = [price(19_900, 'USD'), price(500, 'USD')];
  t.deepEqual(decideListedPrice([once, monthly, higher]), { price: once, isLowest: true });
  t.deepEqual(decideListedPrice([once, higher, lower]), { price: once, isLowest: false });
});

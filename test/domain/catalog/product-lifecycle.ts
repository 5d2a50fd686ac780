import test from 'ava';
import {
  refuseLifecycleChange,
  type LifecycleChange,
  type LifecycleState,
} from '../../../domain/catalog/product-lifecycle.ts';

const OWNER = { isByOperator: false, hasSoldPrice: true, isDescribed: true };
const OPERATOR = { ...OWNER, isByOperator: true };
const UNPRICED = { ...OWNER, hasSoldPrice: false };
const EMPTY = { ...OWNER, isDescribed: false };

const sold = (state: LifecycleState['state'], isUnlistedByOperator = false): LifecycleState => ({
  state,
  delivery: 'entitlement_api',
  isUnlistedByOperator,
});
const elsewhere: LifecycleState = { ...sold('draft'), delivery: 'affiliate' };

type Reason = 'unchanged' | 'no_price' | 'not_described' | 'by_operator';

const CASES: [LifecycleChange, LifecycleState, typeof OWNER, Reason | null][] = [
  ['list', sold('draft'), OWNER, null],
  ['list', sold('unlisted'), OWNER, null],
  ['list', sold('listed'), OWNER, 'unchanged'],
  ['list', sold('draft'), UNPRICED, 'no_price'],
  ['list', elsewhere, UNPRICED, null],
  ['list', sold('draft'), EMPTY, 'not_described'],
  ['list', sold('draft'), { ...EMPTY, isByOperator: true }, 'not_described'],
  ['list', elsewhere, EMPTY, 'not_described'],
  ['list', sold('unlisted'), EMPTY, null],
  ['list', sold('unlisted', true), OWNER, 'by_operator'],
  ['list', sold('unlisted', true), UNPRICED, 'by_operator'],
  ['list', sold('unlisted', true), OPERATOR, null],
  ['unlist', sold('listed'), OWNER, null],
  ['unlist', sold('listed'), OPERATOR, null],
  ['unlist', sold('draft'), OPERATOR, 'unchanged'],
  ['unlist', sold('unlisted'), OWNER, 'unchanged'],
  ['unlist', sold('unlisted'), OPERATOR, null],
  ['unlist', sold('unlisted', true), OPERATOR, 'unchanged'],
  ['remove', sold('draft'), UNPRICED, null],
  ['remove', sold('unlisted', true), OWNER, null],
];

test('the state, the price, the listing and who unlisted decide a change of the state', (t) => {
  for (const [change, product, circumstances, reason] of CASES) {
    const refused = refuseLifecycleChange(change, product, circumstances);
    t.is(refused?.refused ?? null, reason, `${change} ${JSON.stringify(product)}`);
  }
});

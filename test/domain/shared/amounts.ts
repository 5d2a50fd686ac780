import test from 'ava';
import fc from 'fast-check';
import {
  isChargeable,
  isKnownToProcessor,
  validateCharge,
} from '../../../clients/processor/amounts.ts';
import { parseAmount, writeAmount, type AmountProblem } from '../../../domain/shared/money.ts';

const TYPED: [string, string, number][] = [
  ['12.50', 'USD', 1_250],
  ['12', 'USD', 1_200],
  ['12.5', 'USD', 1_250],
  [' 0.01 ', 'EUR', 1],
  ['0012.50', 'BRL', 1_250],
  ['1250', 'JPY', 1_250],
  ['1.234', 'KWD', 1_234],
  ['0.1', 'KWD', 100],
  ['9007199254.99', 'USD', 900_719_925_499],
  ['9999999999.99', 'USD', 999_999_999_999],
];

for (const [typed, currency, amountMinor] of TYPED) {
  test(`"${typed}" of ${currency} is ${amountMinor} minor units`, (t) => {
    t.deepEqual(parseAmount(typed, currency), { amountMinor });
  });
}

const REFUSED: [string, string, AmountProblem][] = [
  ['', 'USD', 'not_an_amount'],
  ['free', 'USD', 'not_an_amount'],
  ['1e3', 'USD', 'not_an_amount'],
  ['0x10', 'USD', 'not_an_amount'],
  ['1,250.00', 'USD', 'not_an_amount'],
  ['12,50', 'EUR', 'not_an_amount'],
  ['12.', 'USD', 'not_an_amount'],
  ['.5', 'USD', 'not_an_amount'],
  ['1 2', 'USD', 'not_an_amount'],
  ['+5', 'USD', 'not_an_amount'],
  ['Infinity', 'USD', 'not_an_amount'],
  ['٣', 'USD', 'not_an_amount'],
  ['1'.repeat(31), 'USD', 'not_an_amount'],
  ['0', 'USD', 'not_positive'],
  ['0.00', 'USD', 'not_positive'],
  ['-5', 'USD', 'not_positive'],
  ['-0', 'USD', 'not_positive'],
  ['1.005', 'USD', 'too_precise'],
  ['1.000', 'USD', 'too_precise'],
  ['100.0', 'JPY', 'too_precise'],
  ['1.2345', 'KWD', 'too_precise'],
  ['10000000000.00', 'USD', 'too_large'],
  ['9007199254740993', 'JPY', 'too_large'],
  ['9'.repeat(30), 'USD', 'too_large'],
];

for (const [typed, currency, problem] of REFUSED) {
  test(`"${typed.slice(0, 40)}" of ${currency} is refused: ${problem}`, (t) => {
    t.deepEqual(parseAmount(typed, currency), { refused: problem });
  });
}

test('an amount that was written for a field is read back exactly, in any currency', (t) => {
  const currency = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999_999 }), currency, (amountMinor, code) => {
      t.deepEqual(parseAmount(writeAmount(amountMinor, code), code), { amountMinor });
    }),
  );
});

test('an amount is chargeable where the processor has a unit that small', (t) => {
  t.true(isChargeable(1_250, 'USD'));
  t.true(isChargeable(5_700, 'MGA'));
  t.false(isChargeable(5_750, 'MGA'), 'the processor counts whole ariary');
  t.true(isChargeable(57, 'ISK'));
});

const JUDGED: [number, string, ReturnType<typeof validateCharge>][] = [
  [50, 'USD', null],
  [49, 'USD', 'too_small'],
  [1, 'GBP', 'too_small'],
  [99_999_999, 'USD', null],
  [100_000_000, 'USD', 'too_large'],
  [17_499, 'HUF', 'too_small'],
  [9_999_999_999, 'HUF', null],
  [999_999_999_999, 'HUF', 'too_large'],
  [999_999_999_999, 'IDR', null],
  [1_234, 'KWD', 'no_such_step'],
  [1_230, 'KWD', null],
  [49, 'JPY', 'too_small'],
  [1, 'UGX', null],
  [5_750, 'MGA', 'no_such_step'],
];

test('what a currency does not allow is refused before anybody is asked to pay it', (t) => {
  for (const [amountMinor, currency, problem] of JUDGED) {
    t.is(validateCharge(amountMinor, currency), problem, `${amountMinor} ${currency}`);
  }
  t.true(isKnownToProcessor('USD'));
  t.false(isKnownToProcessor('IRR'));
});

import test from 'ava';
import { formatMoney, isCurrencyCode, platformCutMinor } from '../../../domain/shared/money.ts';

test('minor units are shown by the digits of ISO 4217', (t) => {
  t.is(formatMoney(1250, 'USD'), '12.50 USD');
  t.is(formatMoney(5, 'EUR'), '0.05 EUR');
  t.is(formatMoney(1250, 'JPY'), '1,250 JPY');
  t.is(formatMoney(1250, 'KWD'), '1.250 KWD');
});

test('test codes and metals are no currencies', (t) => {
  for (const code of ['XXX', 'XTS', 'XAU', 'XAG', 'XPT', 'XPD', 'ABC', 'usd', '', 'US']) {
    t.false(isCurrencyCode(code), code);
  }
  for (const code of ['USD', 'BRL', 'EUR', 'GBP', 'JPY', 'KWD', 'XOF']) {
    t.true(isCurrencyCode(code), code);
  }
});

test('the platform cut is the floor of gross times basis points', (t) => {
  t.is(platformCutMinor(999, 1000), 99);
  t.is(platformCutMinor(1, 9_999), 0);
  t.is(platformCutMinor(999_999_999_999, 10_000), 999_999_999_999);
  t.is(platformCutMinor(1000, 0), 0);
});

test('what is below nothing is shown with its sign', (t) => {
  t.is(formatMoney(-1250, 'USD'), '−12.50 USD');
  t.is(formatMoney(-5, 'EUR'), '−0.05 EUR');
  t.is(formatMoney(-7, 'JPY'), '−7 JPY');
  t.is(formatMoney(0, 'USD'), '0.00 USD');
});

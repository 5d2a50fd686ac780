import test from 'ava';
import {
  decideReturnTo,
  openAddress,
  registeredOrigins,
  validateAddress,
  withPurchase,
  type AddressProblem,
} from '../../../domain/catalog/product-address.ts';

const PRODUCTION = 'https://gatehouse.example';
const LOCAL = 'http://localhost:3000';

const TYPED: [string, string, string | null, AddressProblem | null][] = [
  ['nothing', '  ', null, null],
  ['an address', ' https://App.example ', 'https://app.example/', null],
  [
    'with path, query and fragment',
    'https://app.example/a?b=1#c',
    'https://app.example/a?b=1#c',
    null,
  ],
  ['another alphabet', 'https://bücher.example/', 'https://xn--bcher-kva.example/', null],
  ['plain HTTP', 'http://app.example/', 'http://app.example/', 'not_https'],
  ['this machine', 'http://localhost:4000/', 'http://localhost:4000/', 'not_https'],
  ['no scheme', 'app.example', 'app.example', 'not_a_url'],
  ['a script', 'javascript:alert(1)', 'javascript:alert(1)', 'not_a_url'],
  ['an app', 'com.example.app:/open', 'com.example.app:/open', 'not_a_url'],
  ['a relative address', '//app.example', '//app.example', 'not_a_url'],
  ['a user name', 'https://me@app.example/', 'https://me@app.example/', 'not_a_url'],
  ['a space', 'https://app.example/a b', 'https://app.example/a b', 'not_a_url'],
  [
    'a backslash',
    'https://app.example\\@evil.example',
    'https://app.example\\@evil.example',
    'not_a_url',
  ],
  ['no host', 'https:///path', 'https:///path', 'not_a_url'],
  ['the platform', 'https://gatehouse.example/p/x', 'https://gatehouse.example/p/x', 'own_address'],
];

for (const [what, typed, value, problem] of TYPED) {
  test(`an address of a product: ${what}`, (t) => {
    t.deepEqual(validateAddress(typed, PRODUCTION), { value, problem });
  });
}

test('an address has 2,048 characters at most', (t) => {
  const long = `https://app.example/${'a'.repeat(2_048)}`;
  t.is(validateAddress(long, PRODUCTION).problem, 'too_long');
});

test('plain HTTP leads to this machine, from a platform that runs on it', (t) => {
  t.is(validateAddress('http://127.0.0.1:4000/app', LOCAL).problem, null);
  t.is(validateAddress('http://app.example/', LOCAL).problem, 'not_https');
  t.is(validateAddress('http://localhost:3000/p/x', LOCAL).problem, 'own_address');
});

test('the start of sign-in is opened before the website', (t) => {
  const [websiteUrl, signInUrl] = ['https://a.example/', 'https://a.example/in'];
  t.is(openAddress({ websiteUrl, signInUrl }), signInUrl);
  t.is(openAddress({ websiteUrl, signInUrl: null }), websiteUrl);
  t.is(openAddress({ websiteUrl: null, signInUrl: null }), null);
});

const ORIGINS = registeredOrigins(
  { websiteUrl: 'https://www.example/app', signInUrl: 'https://id.example/in' },
  ['https://app.example:8443/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'],
);

test('an origin is registered by the website, the start of sign-in and the redirect URIs', (t) => {
  t.deepEqual(
    [...ORIGINS],
    ['https://www.example', 'https://id.example', 'https://app.example:8443', 'http://127.0.0.1'],
  );
});

const ASKED: [string, string | null][] = [
  ['https://www.example', 'https://www.example/'],
  ['https://WWW.example/thanks?a=1#b', 'https://www.example/thanks?a=1#b'],
  ['https://app.example:8443/x', 'https://app.example:8443/x'],
  ['https://app.example/x', null],
  ['http://www.example/', null],
  ['https://sub.www.example/', null],
  ['https://www.example.evil.example/', null],
  ['https://www.example@evil.example/', null],
  ['https://evil.example/?https://www.example', null],
  ['https://www.example\\.evil.example/', null],
  ['https:www.example', null],
  ['//www.example/', null],
  ['/p/x', null],
  ['javascript:alert(1)//https://www.example', null],
  ['com.example.app:/done', null],
  ['null', null],
  ['', null],
  [`https://www.example/${'a'.repeat(1_000)}`, null],
];

for (const [asked, returnTo] of ASKED) {
  test(`a purchase leads back to a registered origin alone: ${asked.slice(0, 60)}`, (t) => {
    t.is(decideReturnTo(asked, ORIGINS), returnTo);
  });
}

test('the address that a purchase leads back to names it once', (t) => {
  t.is(
    withPurchase('https://www.example/thanks?a=1&purchase_id=pay_0#b', 'pay_1'),
    'https://www.example/thanks?a=1&purchase_id=pay_1#b',
  );
});

const SIGNED = "note=a%20b&beta&name=J%F6rg&sig=AbC~d*e(f)'g&x=%27&&y=%2b+";

for (const [returnTo, expected] of [
  [`https://www.example/a?${SIGNED}`, `https://www.example/a?${SIGNED}&purchase_id=pay_1`],
  [`https://www.example/a?${SIGNED}#b?c`, `https://www.example/a?${SIGNED}&purchase_id=pay_1#b?c`],
  ['https://www.example/a#b', 'https://www.example/a?purchase_id=pay_1#b'],
  ['https://www.example/a?#b', 'https://www.example/a?purchase_id=pay_1#b'],
  ['https://www.example/?a&purchase_id&b', 'https://www.example/?a&b&purchase_id=pay_1'],
] as const) {
  test(`everything else in the address keeps its bytes: ${returnTo}`, (t) => {
    t.is(withPurchase(decideReturnTo(returnTo, ORIGINS)!, 'pay_1'), expected);
  });
}

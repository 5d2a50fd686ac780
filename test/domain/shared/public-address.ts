import fc from 'fast-check';
import test from 'ava';
import { createAddressPolicy, isNetwork } from '../../../domain/shared/public-address.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { RANGES } from '../../support/http/address-ranges.ts';

const policy = createAddressPolicy();

for (const { range, inside, outside } of RANGES) {
  test(`${range} is not public, what lies beside it is`, (t) => {
    t.deepEqual(inside.filter(policy.isAllowed), []);
    t.deepEqual(
      outside.filter((address) => !policy.isAllowed(address)),
      [],
    );
  });
}

const verdict = (text: string, judge = policy) => {
  const url = judge.validateUrl(text);
  return isRefusal(url) ? url.refused : 'ok';
};

const URLS: [string, string][] = [
  ['https://example.com/hook', 'ok'],
  ['https://example.com:8443/hook?a=1', 'ok'],
  ['https://example.com./hook', 'ok'],
  ['https://8.8.8.8/hook', 'ok'],
  ['https://[2a00:1450:4001::1]/hook', 'ok'],
  ['not a url', 'not_a_url'],
  [`https://example.com/${'x'.repeat(2_028)}`, 'ok'],
  [`https://example.com/${'x'.repeat(2_029)}`, 'too_long'],
  [`https://example.com/${'é'.repeat(400)}`, 'too_long'],
  ['http://example.com/hook', 'scheme'],
  ['ftp://example.com/hook', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['https://user@example.com/', 'credentials'],
  ['https://:secret@example.com/', 'credentials'],
  ['https://example.com:22/', 'port'],
  ['https://example.com:5432/', 'port'],
  ['https://example.com:6379/', 'port'],
  ['https://example.com:7233/', 'port'],
  ['https://localhost/', 'not_public'],
  ['https://LOCALHOST./', 'not_public'],
  ['https://api.localhost/', 'not_public'],
  ['https://api.localhost./', 'not_public'],
  ['https://localhost../', 'not_public'],
  ['https://example..com/', 'not_public'],
  ['https://intranet/', 'not_public'],
  ['https://intranet./', 'not_public'],
  ['https://127.0.0.1/', 'not_public'],
  ['https://127.1/', 'not_public'],
  ['https://2130706433/', 'not_public'],
  ['https://0x7f000001/', 'not_public'],
  ['https://0177.0.0.1/', 'not_public'],
  ['https://１２７.０.０.１/', 'not_public'],
  ['https://169.254.169.254/latest/meta-data', 'not_public'],
  ['https://[::1]/', 'not_public'],
  ['https://[::ffff:127.0.0.1]/', 'not_public'],
  ['https://[::ffff:7f00:1]/', 'not_public'],
  ['https://[64:ff9b::7f00:1]/', 'not_public'],
  ['https://[64:ff9b:1::5db8:d822]/', 'not_public'],
  ['https://[64:ff9b::5db8:d822]/', 'ok'],
];

for (const [url, expected] of URLS) {
  const shown = url.length > 80 ? `${url.slice(0, 40)}... (${url.length} characters)` : url;
  test(`${shown} is judged before any lookup: ${expected}`, (t) => {
    t.is(verdict(url), expected);
  });
}

test('a fragment is dropped', (t) => {
  t.is(String(policy.validateUrl('https://example.com/hook#part')), 'https://example.com/hook');
});

test('http passes only where a setting says so', (t) => {
  const local = createAddressPolicy({ isHttpAllowed: true });
  t.is(verdict('http://example.com/', local), 'ok');
  t.is(verdict('http://127.0.0.1/', local), 'not_public');
});

test('a caller may allow http for one address, and nothing else with it', (t) => {
  const withHttp = (text: string) => String(policy.validateUrl(text, { isHttpAllowed: true }));
  t.is(withHttp('http://example.com/'), 'http://example.com/');
  t.deepEqual(policy.validateUrl('ftp://example.com/', { isHttpAllowed: true }), {
    refused: 'scheme',
  });
  t.is(verdict('http://example.com/'), 'scheme');
});

test('allowed networks open exactly what they name, and leave names to their addresses', (t) => {
  const local = createAddressPolicy({
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    isHttpAllowed: true,
  });
  t.is(verdict('http://127.0.0.1:4000/', local), 'ok');
  t.is(verdict('http://[::1]:4000/', local), 'ok');
  t.is(verdict('http://localhost:4000/', local), 'ok');
  t.is(verdict('http://10.0.0.1/', local), 'not_public');
  t.is(verdict('http://127.0.0.1:5432/', local), 'port');
  t.true(local.isAllowed('::ffff:127.0.0.1'));
  t.false(local.isAllowed('192.168.0.1'));
});

test('an allowed network is not reached through NAT64, and other NAT64 is refused', (t) => {
  const local = createAddressPolicy({ allowedNetworks: ['::/0', '127.0.0.0/8'] });
  t.false(local.isAllowed('64:ff9b::7f00:1'));
  t.false(local.isAllowed('64:ff9b:1::808:808'));
  t.true(local.isAllowed('64:ff9b::808:808'));
});

test('our own addresses are not for others, however public they are', (t) => {
  const own = createAddressPolicy({ ownAddresses: ['8.8.4.4', 'fe80::1%eth0', '2a00:1450::1'] });
  t.false(own.isAllowed('8.8.4.4'));
  t.false(own.isAllowed('::ffff:8.8.4.4'));
  t.false(own.isAllowed('64:ff9b::808:404'));
  t.false(own.isAllowed('2a00:1450:0::1'));
  t.true(own.isAllowed('8.8.8.8'));
});

test('what is no address is not allowed, what is no network is no setting', (t) => {
  t.false(policy.isAllowed('example.com'));
  t.false(policy.isAllowed(''));
  t.true(isNetwork('10.0.0.0/8'));
  t.false(isNetwork('10.0.0.0'));
  t.false(isNetwork('everything'));
});

test('an IPv4 address is judged alike however a URL writes it', (t) => {
  const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  // Half of them in ranges that matter.
  const some = fc.oneof(bytes, fc.constantFrom(...RANGES.flatMap(toBytes)));
  fc.assert(
    fc.property(some, ([a, b, c, d]) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const dotted = `${a}.${b}.${c}.${d}`;
      const hex = number.toString(16).padStart(8, '0');
      const forms = [
        dotted,
        `${dotted}.`,
        String(number),
        `0x${hex}`,
        `0${number.toString(8)}`,
        `${a}.${(b * 256 + c) * 256 + d}`,
        `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
        dotted.replaceAll('.', '\u3002'),
        `[::ffff:${dotted}]`,
        `[::ffff:${hex.slice(0, 4)}:${hex.slice(4)}]`,
        `[64:ff9b::${dotted}]`,
      ];
      const expected = policy.isAllowed(dotted) ? 'ok' : 'not_public';
      for (const form of forms) t.is(verdict(`https://${form}/`), expected, form);
      for (const never of [`[::${dotted}]`, `[::ffff:0:${dotted}]`, `[64:ff9b:1::${dotted}]`]) {
        t.is(verdict(`https://${never}/`), 'not_public', never);
      }
    }),
  );
});

function toBytes({ inside, outside }: (typeof RANGES)[number]): [number, number, number, number][] {
  return [...inside, ...outside]
    .filter((address) => !address.includes(':'))
    .map((address) => address.split('.').map(Number) as [number, number, number, number]);
}

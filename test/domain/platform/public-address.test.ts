import test from 'ava';
import { createAddressPolicy, isNetwork } from '../../../domain/platform/public-address.ts';
import { isRefusal } from '../../../domain/platform/refusal.ts';

const policy = createAddressPolicy();

// First and last address of each refused range, and its neighbours on either side where they are public.
const RANGES: { range: string; inside: string[]; outside: string[] }[] = [
  { range: '0/8', inside: ['0.0.0.0', '0.255.255.255'], outside: ['1.0.0.0'] },
  { range: '10/8', inside: ['10.0.0.0', '10.255.255.255'], outside: ['9.255.255.255', '11.0.0.0'] },
  {
    range: '100.64/10',
    inside: ['100.64.0.0', '100.127.255.255'],
    outside: ['100.63.255.255', '100.128.0.0'],
  },
  {
    range: '127/8',
    inside: ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
    outside: ['126.255.255.255', '128.0.0.0'],
  },
  {
    range: '168.63.129.16',
    inside: ['168.63.129.16'],
    outside: ['168.63.129.15', '168.63.129.17'],
  },
  {
    range: '169.254/16',
    inside: ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    outside: ['169.253.255.255', '169.255.0.0'],
  },
  {
    range: '172.16/12',
    inside: ['172.16.0.0', '172.31.255.255'],
    outside: ['172.15.255.255', '172.32.0.0'],
  },
  {
    range: '192.0.0/24',
    inside: ['192.0.0.0', '192.0.0.255'],
    outside: ['191.255.255.255', '192.0.1.0'],
  },
  {
    range: '192.0.2/24',
    inside: ['192.0.2.0', '192.0.2.255'],
    outside: ['192.0.1.255', '192.0.3.0'],
  },
  {
    range: '192.88.99/24',
    inside: ['192.88.99.0', '192.88.99.255'],
    outside: ['192.88.98.255', '192.88.100.0'],
  },
  {
    range: '192.168/16',
    inside: ['192.168.0.0', '192.168.255.255'],
    outside: ['192.167.255.255', '192.169.0.0'],
  },
  {
    range: '198.18/15',
    inside: ['198.18.0.0', '198.19.255.255'],
    outside: ['198.17.255.255', '198.20.0.0'],
  },
  {
    range: '198.51.100/24',
    inside: ['198.51.100.0', '198.51.100.255'],
    outside: ['198.51.99.255', '198.51.101.0'],
  },
  {
    range: '203.0.113/24',
    inside: ['203.0.113.0', '203.0.113.255'],
    outside: ['203.0.112.255', '203.0.114.0'],
  },
  {
    range: '224/4 and 240/4',
    inside: ['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'],
    outside: ['223.255.255.255'],
  },
  { range: '::, ::1, ::/96', inside: ['::', '::1', '::7f00:1', '::ffff:ffff'], outside: [] },
  {
    range: '::ffff:0:0/96 by its inner address',
    inside: ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
    outside: ['::ffff:8.8.8.8', '::ffff:11.0.0.0'],
  },
  { range: '::ffff:0:0:0/96', inside: ['::ffff:0:808:808', '::ffff:0:0:1'], outside: [] },
  {
    range: 'NAT64',
    inside: ['64:ff9b::808:808', '64:ff9b::7f00:1', '64:ff9b:1::1', '64:ff9b:1:ffff::'],
    outside: [],
  },
  { range: '100::/64', inside: ['100::', '100::ffff:ffff:ffff:ffff'], outside: [] },
  {
    range: '2001::/23',
    inside: ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  },
  {
    range: '2001:db8::/32',
    inside: ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  },
  {
    range: '2002::/16',
    inside: ['2002::', '2002:7f00:1::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  },
  {
    range: '3fff::/20',
    inside: ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    outside: ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  },
  { range: '5f00::/16', inside: ['5f00::', '5f00:ffff::'], outside: [] },
  { range: 'fc00::/7', inside: ['fc00::', 'fd12:3456::1', 'fdff:ffff::'], outside: [] },
  {
    range: 'fe80::/10 and fec0::/10',
    inside: ['fe80::1', 'febf::', 'fec0::1', 'feff::'],
    outside: [],
  },
  { range: 'ff00::/8', inside: ['ff00::', 'ff02::1', 'ffff::'], outside: [] },
  {
    range: 'all but 2000::/3',
    inside: ['1fff:ffff::', '4000::', '::1:0:0:0', '::fffe:7f00:1'],
    outside: ['2000::', '2a00:1450:4001::1', '3ffe::'],
  },
];

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
  const url = judge.judgeUrl(text);
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
];

for (const [url, expected] of URLS) {
  const shown = url.length > 80 ? `${url.slice(0, 40)}... (${url.length} characters)` : url;
  test(`${shown} is judged before any lookup: ${expected}`, (t) => {
    t.is(verdict(url), expected);
  });
}

test('a fragment is dropped', (t) => {
  t.is(String(policy.judgeUrl('https://example.com/hook#part')), 'https://example.com/hook');
});

test('http passes only where a setting says so', (t) => {
  const local = createAddressPolicy({ isHttpAllowed: true });
  t.is(verdict('http://example.com/', local), 'ok');
  t.is(verdict('http://127.0.0.1/', local), 'not_public');
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

test('NAT64 is refused even where a network allows it', (t) => {
  t.false(createAddressPolicy({ allowedNetworks: ['::/0'] }).isAllowed('64:ff9b::808:808'));
});

test('our own addresses are not for others, however public they are', (t) => {
  const own = createAddressPolicy({ ownAddresses: ['8.8.4.4', 'fe80::1%eth0', '2a00:1450::1'] });
  t.false(own.isAllowed('8.8.4.4'));
  t.false(own.isAllowed('::ffff:8.8.4.4'));
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

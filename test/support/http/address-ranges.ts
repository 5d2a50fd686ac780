// First and last address of each refused range, and its neighbours on either side where they are public.
export const RANGES: { range: string; inside: string[]; outside: string[] }[] = [
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
    range: '64:ff9b::/96 by its embedded IPv4 address',
    inside: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::a83f:8110'],
    outside: ['64:ff9b::5db8:d822', '64:ff9b::11.0.0.0'],
  },
  {
    range: 'other NAT64',
    inside: ['64:ff9b:1::1', '64:ff9b:1::808:808', '64:ff9b:1:ffff::', '64:ff9b:0:0:0:1:808:808'],
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

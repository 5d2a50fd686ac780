import test from 'ava';
import { validateProductName, validateTagline } from '../../../domain/catalog/product-fields.ts';
import { validateDisplayName } from '../../../domain/identity/person-fields.ts';
import { validateTeamName } from '../../../domain/teams/team-name.ts';

const RULES = { person: validateDisplayName, team: validateTeamName, product: validateProductName };

const PLATFORM = [
  'Gatehouse',
  'GATEHOUSE',
  'G\u00e4tehouse',
  '\uff27atehouse',
  'Gate\u2009house',
  'Gatehouse Support',
  'G\u0430tehouse', // Cyrillic
  'Gateh\u03bfuse', // Greek
  'GATE\u041dOUSE', // Cyrillic, a capital alone
  'G\u{1d41a}tehouse', // mathematical
  'Gateh\u0585\u057dse', // Armenian
  'Gateh\u00f8use',
  'Gateh0use',
  'Gat\u212ehouse',
  'Gate|house',
  'Gate|h\u00f8use',
  '\u0262\u1d00\u1d1b\u1d07\u029c\u1d0f\u1d1c\ua731\u1d07',
];
const ADDRESSES = [
  'Account locked. Restore it: https://a.example',
  'HTTP://a.example',
  'Shop (www.a.example)',
  'Shop a.example/pay',
  'Shop a.ex\uff0fpay',
];
const PLAIN = [
  'Node.js',
  'Ada & Co. / Tools',
  'Booking.com',
  '\u092e\u0939\u0947\u0936',
  'House at the gate',
  'AC/DC 2.0',
  'Gate 1 House',
  '\u041c\u043e\u0441\u043a\u0432\u0430',
];

for (const [kind, validate] of Object.entries(RULES)) {
  test(`the name of a ${kind} has no web address, and is not the platform's`, (t) => {
    for (const name of PLATFORM) t.is(validate(name).problem, 'reserved', name);
    for (const name of ADDRESSES) t.is(validate(name).problem, 'web_address', name);
    for (const name of PLAIN) t.is(validate(name).problem, null, name);
  });
}

test('a tagline may speak of the platform', (t) => {
  t.is(validateTagline('Works with Gatehouse').problem, null);
});

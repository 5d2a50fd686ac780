import test from 'ava';
import { describeDevice } from '../../../domain/identity/device.ts';
import { validatePassword } from '../../../domain/identity/new-password.ts';
import { createQueue, QueueFull } from '../../../platform/fair-queue.ts';
import {
  nameForMail,
  validateDisplayName,
  validateEmail,
  validateHandle,
} from '../../../domain/identity/person-fields.ts';

const about = ['ada_lovelace', 'Ada Lovelace', 'ada.lovelace@example.com', 'ada.lovelace'];

const PASSWORDS: [string, ReturnType<typeof validatePassword>][] = [
  ['a quiet lamp in the hall', null],
  ['correct horse battery', null],
  ['пароль для архива', null],
  ['elevenchars', 'too_short'],
  ['🔑🔑🔑', 'too_short'],
  ['x'.repeat(257), 'too_long'],
  ['motherfucker', 'common'],
  ['QwertyUiop123', 'common'],
  ['password2026!', 'common'],
  ['aaaaaaaaaaaa', 'common'],
  ['abcabcabcabca', 'common'],
  ['123412341234', 'common'],
  ['abcdefghijklm', 'common'],
  ['2026-11-21 2026', 'common'],
  ['ada_lovelace1', 'own_words'],
  ['Ada.Lovelace99', 'own_words'],
  ['ada.lovelace@example.com', 'own_words'],
];

for (const [password, expected] of PASSWORDS) {
  test(`the password ${password.slice(0, 30)} is ${expected ?? 'taken'}`, (t) => {
    t.is(validatePassword(password, about), expected);
  });
}

test('a password counts the same however its characters are composed', (t) => {
  t.is(validatePassword('Käsekuchenxy'.normalize('NFD'), []), null);
  t.is(validatePassword('Käsekuchenx'.normalize('NFD'), []), 'too_short');
});

test('addresses are taken as browsers take them', (t) => {
  for (const good of ['a@b.co', ' Ada+x@Example.COM ', "o'neil@mail.example.org"]) {
    t.is(validateEmail(good).problem, null, good);
  }
  const bad = ['a', 'a@b', 'a@-b.co', 'a b@c.de', '"a"@b.co', 'a@b..co', 'a@b.co\r\nbcc: x@y.zz'];
  for (const address of [...bad, 'a@b.co,x@y.zz', '<a@b.co>']) {
    t.is(validateEmail(address).problem, 'not_an_address', address);
  }
  t.deepEqual(validateEmail(`${'x'.repeat(10_000)}@b.co`), { value: '', problem: 'too_long' });
});

test('a domain in any script is kept as mail servers name it', (t) => {
  const cases = {
    'info@müller-probe.example': 'info@xn--mller-probe-thb.example',
    'Info@MÜLLER-probe.example': 'Info@xn--mller-probe-thb.example',
    'info@例え。テスト': 'info@xn--r8jz45g.xn--zckzah',
    'info@xn--mller-probe-thb.example': 'info@xn--mller-probe-thb.example',
  };
  for (const [typed, value] of Object.entries(cases)) {
    t.deepEqual(validateEmail(typed), { value, problem: null }, typed);
  }
  for (const bad of ['jörg@example.com', 'a@mü ller.example', 'a@mü/x.example', 'a@ü:1.example']) {
    t.is(validateEmail(bad).problem, 'not_an_address', bad);
  }
});

test('a mail greets by the display name, where no mail program makes a link of it', (t) => {
  const greeted = (displayName: string) => nameForMail({ displayName, handle: 'ada_1' });
  for (const name of ["Ada O'Neil", 'J. R. Smith', 'Zoë', '山田 太郎']) t.is(greeted(name), name);
  for (const odd of ['https://evil.example', 'evil.example', 'a@b.co', 'x'.repeat(41), '<b>']) {
    t.is(greeted(odd), 'ada_1', odd);
  }
});

test('handles have 3 to 24 of a-z0-9_, and none looks like that of somebody who is gone', (t) => {
  t.deepEqual(validateHandle(' Ada_1 '), { value: 'ada_1', problem: null });
  for (const handle of ['ab', 'x'.repeat(25), 'a-b-c', 'adä', 'gone_123', 'a'.repeat(10_000)]) {
    t.is(validateHandle(handle).problem, 'not_a_handle', handle.slice(0, 30));
  }
});

test('display names are readable text of one line', (t) => {
  t.deepEqual(validateDisplayName('  Ada \n Lovelace '), { value: 'Ada Lovelace', problem: null });
  t.is(validateDisplayName('🧑🏽‍🚀 Zoë').problem, null);
  for (const name of ['a\u0000b', 'a\u202eb', '\ud800', 'a\ufffdb', '\u0007']) {
    t.is(validateDisplayName(name).problem, 'unreadable', JSON.stringify(name));
  }
  t.is(validateDisplayName('x'.repeat(81)).problem, 'too_long');
});

test('of a user agent only browser and system are kept', (t) => {
  const linux = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1';
  t.is(describeDevice(linux), 'Firefox on Linux');
  t.is(describeDevice(phone), 'Safari on iOS');
  t.is(describeDevice('curl/8.0'), 'Unknown device');
  t.is(describeDevice('<script>'.repeat(1_000)), 'Unknown device');
});

test('one password a core is computed at a time, some wait, and the rest are refused', async (t) => {
  const inTurn = createQueue({ atOnce: 2, waiting: 3 });
  let running = 0;
  let most = 0;
  const releases: (() => void)[] = [];
  const work = () => {
    running += 1;
    most = Math.max(most, running);
    return new Promise<void>((resolve) => {
      releases.push(() => {
        running -= 1;
        resolve();
      });
    });
  };
  const accepted = Array.from({ length: 5 }, () => inTurn(work));
  await t.throwsAsync(inTurn(work), { instanceOf: QueueFull });
  for (let ended = 0; ended < 5; ended += 1) {
    releases[ended]!();
    await accepted[ended];
    await Promise.resolve();
  }
  t.is(most, 2);
  t.is(running, 0);
  const failing = inTurn(() => Promise.reject(new Error('broken')));
  await t.throwsAsync(failing, { message: 'broken' });
  await t.notThrowsAsync(inTurn(() => Promise.resolve()));
});

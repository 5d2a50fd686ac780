import test from 'ava';
import {
  hashCredential,
  isWellFormedCredential,
  newCredential,
  newPublicId,
  parseUuid,
} from '../../../domain/shared/ids.ts';

test('a credential is its prefix, 43 characters and the checksum of all before it', (t) => {
  const key = newCredential('gk_live_');
  t.regex(key, /^gk_live_[0-9A-Za-z]{49}$/);
  t.true(isWellFormedCredential(key, 'gk_live_'));
});

test('a truncated, altered or foreign credential is refused without a look-up', (t) => {
  const key = newCredential('gk_live_');
  const altered = key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const wrong of [key.slice(0, -1), `${key}0`, altered, '', 'gk_live_']) {
    t.false(isWellFormedCredential(wrong, 'gk_live_'), wrong);
  }
  t.false(isWellFormedCredential(key, 'gk_test_'));
});

test('no two credentials are alike, and only a hash of 32 bytes is kept', (t) => {
  const keys = new Set(Array.from({ length: 200 }, () => newCredential('gk_test_')));
  t.is(keys.size, 200);
  t.is(hashCredential([...keys][0]!).length, 32);
});

test('a UUID is 8-4-4-4-12 hex digits in either case, any version, nil included', (t) => {
  t.is(parseUuid('0190A1B2-C3D4-F5E6-0718-293A4B5C6D7E'), '0190a1b2-c3d4-f5e6-0718-293a4b5c6d7e');
  t.is(parseUuid('00000000-0000-0000-0000-000000000000'), '00000000-0000-0000-0000-000000000000');
  for (const wrong of [
    '',
    '{0190a1b2-c3d4-75e6-8718-293a4b5c6d7e}',
    '0190a1b2c3d475e68718293a4b5c6d7e',
    '0190a1b2-c3d4-75e6-8718-293a4b5c6d7',
    '0190a1b2-c3d4-75e6-8718-293a4b5c6d7e\n',
    '0190a1b2-c3d4-75e6-8718-293a4b5c6d7g',
  ]) {
    t.is(parseUuid(wrong), null, wrong);
  }
});

test('public ids are a prefix and a ULID', (t) => {
  t.regex(newPublicId('pay_'), /^pay_[0-9A-HJKMNP-TV-Z]{26}$/);
});

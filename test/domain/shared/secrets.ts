import { createHmac, randomBytes } from 'node:crypto';
import test from 'ava';
import { createEncryptor, createTokenSigner } from '../../../domain/shared/secrets.ts';

const first = { id: 'k1', key: randomBytes(32) };
const second = { id: 'k2', key: randomBytes(32) };
const place = { column: 'webhook_endpoint.encrypted_secret', rowId: 'row-a' } as const;

test('the first key encrypts and all keys open, so that keys can be rotated', (t) => {
  const old = createEncryptor([first]).encrypt('whsec_old', place);
  const rotated = createEncryptor([second, { ...first, isDecryptOnly: true }]);
  t.is(rotated.decrypt(old, place), 'whsec_old');
  t.true(rotated.encrypt('x', place).startsWith('k2:'));
  t.throws(() => createEncryptor([second]).decrypt(old, place), {
    message: /no encryption key with id k1/,
  });
});

test('a key that only opens never encrypts or signs', (t) => {
  const retired = [{ ...first, isDecryptOnly: true }];
  t.true(
    createEncryptor([...retired, second])
      .encrypt('x', place)
      .startsWith('k2:'),
  );
  t.throws(() => createEncryptor(retired), { message: /at least one key that encrypts/ });
  t.throws(() => createTokenSigner(retired), { message: /at least one key that encrypts/ });
  const signer = createTokenSigner([...retired, second]);
  t.is(signer.sign('click', 'a'), createTokenSigner([second]).sign('click', 'a'));
});

test('an encrypted secret that was altered does not open', (t) => {
  const encryptor = createEncryptor([first]);
  const [id, encoded = ''] = encryptor.encrypt('whsec_x', place).split(':');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[bytes.length - 1]! ^= 1;
  t.throws(() => encryptor.decrypt(`${id}:${bytes.toString('base64')}`, place));
});

test('an encrypted secret opens in its own row only', (t) => {
  const encryptor = createEncryptor([first]);
  const encrypted = encryptor.encrypt('whsec_x', place);
  t.is(encryptor.decrypt(encrypted, place), 'whsec_x');
  t.throws(() => encryptor.decrypt(encrypted, { ...place, rowId: 'row-b' }));
});

test('an encrypted secret with a shorter tag does not open', (t) => {
  const encryptor = createEncryptor([first]);
  const [id, encoded = ''] = encryptor.encrypt('', place).split(':');
  const cut = Buffer.from(encoded, 'base64').subarray(0, 12 + 4);
  t.throws(() => encryptor.decrypt(`${id}:${cut.toString('base64')}`, place), {
    message: /authentication tag/,
  });
});

test('a signed token holds for its own purpose and value only', (t) => {
  const signer = createTokenSigner([first]);
  const token = signer.sign('session_form', 'session-a');
  t.true(signer.isSigned('session_form', 'session-a', token));
  t.true(createTokenSigner([second, first]).isSigned('session_form', 'session-a', token));
  t.false(signer.isSigned('session_form', 'session-b', token));
  t.false(signer.isSigned('mail_link', 'session-a', token));
  t.false(signer.isSigned('session_form', 'session-a', `${token}x`));
});

test('each purpose has a key of its own, and none is the configured one', (t) => {
  const signer = createTokenSigner([first]);
  const purposes = ['session_form', 'pre_session_form', 'mail_link', 'click'] as const;
  const tokens = new Set(purposes.map((purpose) => signer.sign(purpose, 'value')));
  t.is(tokens.size, purposes.length);
  t.false(tokens.has(createHmac('sha256', first.key).update('value').digest('base64url')));
});

import { createHmac, randomBytes } from 'node:crypto';
import test from 'ava';
import { createSealer, createTokenSigner } from '../../../domain/shared/secrets.ts';

const first = { id: 'k1', key: randomBytes(32) };
const second = { id: 'k2', key: randomBytes(32) };
const place = { column: 'webhook_endpoint.sealed_secret', rowId: 'row-a' } as const;

test('the first key seals and all keys open, so that keys can be rotated', (t) => {
  const old = createSealer([first]).seal('whsec_old', place);
  const rotated = createSealer([second, { ...first, isOpenOnly: true }]);
  t.is(rotated.open(old, place), 'whsec_old');
  t.true(rotated.seal('x', place).startsWith('k2:'));
  t.throws(() => createSealer([second]).open(old, place), { message: /no sealing key with id k1/ });
});

test('a key that only opens never seals or signs', (t) => {
  const retired = [{ ...first, isOpenOnly: true }];
  t.true(
    createSealer([...retired, second])
      .seal('x', place)
      .startsWith('k2:'),
  );
  t.throws(() => createSealer(retired), { message: /at least one key that seals/ });
  t.throws(() => createTokenSigner(retired), { message: /at least one key that seals/ });
  const signer = createTokenSigner([...retired, second]);
  t.is(signer.sign('click', 'a'), createTokenSigner([second]).sign('click', 'a'));
});

test('a sealed secret that was altered does not open', (t) => {
  const sealer = createSealer([first]);
  const [id, encoded = ''] = sealer.seal('whsec_x', place).split(':');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[bytes.length - 1]! ^= 1;
  t.throws(() => sealer.open(`${id}:${bytes.toString('base64')}`, place));
});

test('a sealed secret opens in its own row only', (t) => {
  const sealer = createSealer([first]);
  const sealed = sealer.seal('whsec_x', place);
  t.is(sealer.open(sealed, place), 'whsec_x');
  t.throws(() => sealer.open(sealed, { ...place, rowId: 'row-b' }));
});

test('a sealed secret with a shorter tag does not open', (t) => {
  const sealer = createSealer([first]);
  const [id, encoded = ''] = sealer.seal('', place).split(':');
  const cut = Buffer.from(encoded, 'base64').subarray(0, 12 + 4);
  t.throws(() => sealer.open(`${id}:${cut.toString('base64')}`, place), {
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

import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createSealer, createTokenSigner } from '../../../domain/platform/secrets.ts';

const first = { id: 'k1', key: randomBytes(32) };
const second = { id: 'k2', key: randomBytes(32) };

test('the first key seals and all keys open, so that keys can be rotated', (t) => {
  const old = createSealer([first]).seal('whsec_old');
  const rotated = createSealer([second, first]);
  t.is(rotated.open(old), 'whsec_old');
  t.true(rotated.seal('x').startsWith('k2:'));
  t.throws(() => createSealer([second]).open(old), { message: /no sealing key with id k1/ });
});

test('a sealed secret that was altered does not open', (t) => {
  const sealer = createSealer([first]);
  const [id, encoded = ''] = sealer.seal('whsec_x').split(':');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[bytes.length - 1]! ^= 1;
  t.throws(() => sealer.open(`${id}:${bytes.toString('base64')}`));
});

test('a signed token holds for its own purpose and value only', (t) => {
  const signer = createTokenSigner([first]);
  const token = signer.sign('csrf', 'session-a');
  t.true(signer.isSigned('csrf', 'session-a', token));
  t.true(createTokenSigner([second, first]).isSigned('csrf', 'session-a', token));
  t.false(signer.isSigned('csrf', 'session-b', token));
  t.false(signer.isSigned('other', 'session-a', token));
  t.false(signer.isSigned('csrf', 'session-a', `${token}x`));
});

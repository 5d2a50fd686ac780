import test from 'ava';
import { decideExchange } from '../../../domain/oauth/tokens/decide-exchange.ts';

const fields = {
  grantType: 'authorization_code',
  code: 'gac_1',
  redirectUri: 'https://a.example/cb',
  verifier: null,
};
const { grantType: _, ...exchange } = fields;

test('a request names its grant type before its code', (t) => {
  t.deepEqual(decideExchange({ ...fields, grantType: null, code: null }), {
    refused: 'grant_type_missing',
  });
  t.deepEqual(decideExchange({ ...fields, grantType: 'password', code: null }), {
    refused: 'grant_type_unsupported',
  });
  t.deepEqual(decideExchange({ ...fields, code: null }), { refused: 'code_missing' });
});

test('a verifier has 43 to 128 unreserved characters', (t) => {
  for (const verifier of ['x'.repeat(43), 'aZ9-._~'.repeat(18), 'x'.repeat(128)]) {
    t.deepEqual(decideExchange({ ...fields, verifier }), { ...exchange, verifier });
  }
  for (const verifier of ['x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)}+`, 'é'.repeat(43)]) {
    t.deepEqual(decideExchange({ ...fields, verifier }), {
      ...exchange,
      redirectUri: '',
      verifier,
    });
  }
});

test('without a redirect URI the exchange fits no code', (t) => {
  t.deepEqual(decideExchange({ ...fields, redirectUri: null }), { ...exchange, redirectUri: '' });
});

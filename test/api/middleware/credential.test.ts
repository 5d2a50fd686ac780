import test from 'ava';
import { newCredential } from '../../../domain/shared/ids.ts';
import {
  explainCredential,
  type Carrier,
  type Needed,
} from '../../../api/middleware/input/credential.ts';

const key = newCredential('gk_live_');
const testKey = newCredential('gk_test_');
const token = newCredential('gat_');
const none: Carrier = { query: '', headers: {} };
const bearer = (credential: string): Carrier => ({
  query: '',
  headers: { authorization: `Bearer ${credential}` },
});
const header = (authorization: string): Carrier => ({ query: '', headers: { authorization } });
const cut = (text: string) => text.slice(0, -1);
const changed = (text: string) => text.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

const cases: [string, Needed, Carrier, RegExp][] = [
  ['nothing', 'key', none, /API key \(gk_live_.*no Authorization header/],
  ['nothing, for a token', 'token', none, /access token \(gat_.*no Authorization header/],
  ['nothing, for both', 'key_or_token', none, /\(gat_\.\.\.\) or a product's API key/],
  ['in the query', 'key', { query: `api_key=${key}`, headers: {} }, /not in the query.*replace/],
  ['a token in the query', 'token', { query: `a=b&access_token=${token}`, headers: {} }, /query/],
  ['in another header', 'key', { query: '', headers: { 'x-api-key': key } }, /another header/],
  [
    'Bearer in another header',
    'token',
    { query: '', headers: { 'x-auth': `Bearer ${token}` } },
    /another header/,
  ],
  ['no Bearer', 'key', header(key), /word Bearer is missing/],
  ['another word', 'key', header(`Token ${key}`), /word Bearer is missing/],
  ['Basic', 'key', header('Basic eDp5'), /not by Basic.*API key/],
  ['an empty variable', 'key', header('Bearer '), /nothing after Bearer/],
  ['a space within', 'key', header(`Bearer ${key} x`), /has a space/],
  ['another scheme', 'key', header('Digest username=x'), /another form/],
  ['cut off', 'key', bearer(cut(key)), /^This API key is cut off.*checksum/],
  ['a character changed', 'key', bearer(changed(testKey)), /^This API key is cut off or changed/],
  ['the prefix alone', 'token', bearer('gat_'), /^This access token is cut off/],
  [
    'a token where a key belongs',
    'key',
    bearer(token),
    /API key.*You sent a person's access token/,
  ],
  ['cut off and of the other kind', 'key', bearer(cut(token)), /You sent a person's access token/],
  ['a key where a token belongs', 'token', bearer(key), /access token.*You sent an API key/],
  ['a client secret', 'key', bearer(newCredential('gcs_')), /You sent a client secret/],
  ['a client id', 'key_or_token', bearer(`gcl_${'0'.repeat(22)}`), /You sent a client id/],
  [
    'a code',
    'token',
    bearer(newCredential('gac_')),
    /authorization code.*POST \/api\/oauth\/token/,
  ],
  ['a signing secret', 'key', bearer(newCredential('whsec_')), /signing secret/],
  ['no prefix of ours', 'key', bearer('sk_live_x'), /begins with none of these/],
  ['unknown', 'key', bearer(key), /^This API key is not valid.*revoked.*48 hours/],
  ['a key for both', 'key_or_token', bearer(testKey), /^This API key is not valid/],
  ['an unknown token', 'token', bearer(token), /^This access token is not valid.*again\.$/],
];

for (const [title, needed, carrier, expected] of cases) {
  test(`a 401 says what is wrong with the credential: ${title}`, (t) => {
    const message = explainCredential(carrier, needed);
    t.regex(message, expected);
    t.regex(message, /^[A-Z].*[.?]$/);
    for (const credential of [key, testKey, token]) {
      t.false(message.includes(credential.slice(8, 20)), 'nothing of it is repeated');
    }
  });
}

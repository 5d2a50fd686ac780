import test from 'ava';
import {
  decideExchangeRefusal,
  type ExchangeRefusal,
  type StoredCode,
} from '../../../domain/oauth/tokens/explain-exchange-refusal.ts';

const URI = 'https://app.example/cb';
const VERIFIER = 'v'.repeat(43);
const stored: StoredCode = { redirectUri: URI, challenge: null, isUsed: false, isExpired: false };
const challenged = { ...stored, challenge: 'right' };

type Exchange = Parameters<typeof decideExchangeRefusal>[0];

const plain: Exchange = {
  kind: 'confidential',
  redirectUri: URI,
  verifier: null,
  challenge: null,
  isCodeWellFormed: true,
};
const proven = { verifier: VERIFIER, challenge: 'right' };
const wrong = { verifier: VERIFIER, challenge: 'wrong' };
const used = { isUsed: true };
const expired = { isExpired: true };
const isPublic = { kind: 'public' } as const;

const cases: [string, Partial<Exchange>, StoredCode | null, ExchangeRefusal][] = [
  ['a code of another form', { isCodeWellFormed: false }, null, 'cut_off'],
  ["no such code, or another client's", {}, null, 'unknown'],
  ['used', {}, { ...stored, ...used }, 'used'],
  ['used before it expired', {}, { ...stored, ...used, ...expired }, 'used'],
  ['expired', {}, { ...stored, ...expired }, 'expired'],
  ['no redirect URI', { redirectUri: null }, stored, 'redirect_uri_missing'],
  ['another redirect URI', { redirectUri: `${URI}/` }, stored, 'redirect_uri_differs'],
  ['no verifier', {}, challenged, 'verifier_missing'],
  ['a short verifier', { verifier: 'short', challenge: 'right' }, challenged, 'verifier_malformed'],
  ['another verifier', wrong, challenged, 'verifier_wrong'],
  ['a verifier without a challenge', proven, stored, 'verifier_unexpected'],
  ['nothing wrong with the code', proven, challenged, 'withdrawn'],
  ['a public client: no verifier', isPublic, challenged, 'verifier_missing'],
  ['a public client: no verifier, no code', isPublic, null, 'verifier_missing'],
  ['a public client: unknown', { ...isPublic, ...proven }, null, 'unknown_or_verifier'],
  [
    'a public client: another verifier',
    { ...isPublic, ...wrong },
    challenged,
    'unknown_or_verifier',
  ],
  [
    'a public client: another verifier, used and expired',
    { ...isPublic, ...wrong },
    { ...challenged, ...used, ...expired },
    'unknown_or_verifier',
  ],
  ['a public client: used', { ...isPublic, ...proven }, { ...challenged, ...used }, 'used'],
  [
    'a native client: expired',
    { ...proven, kind: 'native' },
    { ...challenged, ...expired },
    'expired',
  ],
];

for (const [title, exchange, code, reason] of cases) {
  test(`the reason against an exchange: ${title}`, (t) => {
    t.is(decideExchangeRefusal({ ...plain, ...exchange }, code), reason);
  });
}

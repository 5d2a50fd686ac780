import test from 'ava';
import fc from 'fast-check';
import {
  decideRedirectUri,
  withParameters,
  type ClientKind,
  type UriRefusal,
} from '../../../domain/oauth/clients/redirect-uri.ts';
import { isRegistered } from '../../../domain/oauth/registered-redirect.ts';

const registrations: [string, ClientKind, UriRefusal | null][] = [
  ['https://app.example/callback', 'confidential', null],
  ['https://app.example/callback?tenant=1', 'public', null],
  ['https://app.example', 'confidential', null],
  ['http://localhost:3000/cb', 'public', null],
  ['http://127.0.0.1/cb', 'native', null],
  ['http://[::1]/cb', 'native', null],
  ['http://localhost/cb', 'confidential', null],
  ['http://localhost/cb', 'native', 'localhost'],
  ['http://LOCALHOST:8765/cb', 'native', 'localhost'],
  ['https://localhost:8765/cb', 'native', 'localhost'],
  ['http:/localhost/cb', 'native', 'localhost'],
  ['https://app.localhost./cb', 'native', 'localhost'],
  ['https://localhost.example/cb', 'native', null],
  ['com.example.app://localhost/cb', 'native', null],
  ['com.example.app:/cb', 'native', null],
  ['com.example.app:/cb', 'public', 'scheme'],
  ['myapp:/cb', 'native', 'scheme'],
  ['/callback', 'confidential', 'not_absolute'],
  ['', 'confidential', 'not_absolute'],
  ['https://app.example/cb#part', 'confidential', 'fragment'],
  ['https://app.example/cb#', 'confidential', 'fragment'],
  ['http://app.example/cb', 'confidential', 'scheme'],
  ['http://127.0.0.1.example/cb', 'native', 'scheme'],
  ['javascript:alert(1)', 'native', 'scheme'],
  ['data:text/html,x', 'native', 'scheme'],
  ['https://user:pw@app.example/', 'confidential', 'userinfo'],
  ['https://@app.example/', 'confidential', 'userinfo'],
  ['https://*.app.example/cb', 'confidential', 'wildcard'],
  ['https://app.example/*', 'public', 'wildcard'],
  ['http://127.0.0.1:*/cb', 'native', 'wildcard'],
  ['https://app.example/a b', 'confidential', 'control'],
  ['https://app.example/\u0000', 'confidential', 'control'],
  ['https://app.example\\@evil.example/', 'confidential', 'control'],
  ['https:app.example/cb', 'confidential', 'scheme'],
  [`https://app.example/${'a'.repeat(2_048)}`, 'confidential', 'too_long'],
];

for (const [uri, kind, refusal] of registrations) {
  test(`registering ${JSON.stringify(uri.slice(0, 60))} for a ${kind} client: ${refusal ?? 'accepted'}`, (t) => {
    t.is(decideRedirectUri(uri, kind), refusal);
  });
}

const web = { kind: 'confidential' as const, redirectUris: ['https://app.example/cb?x=1'] };
const native = {
  kind: 'native' as const,
  redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://127.0.0.1:8080/fixed'],
};

test('redirect_uri must exactly equal one registered: any difference at all is refused', (t) => {
  t.true(isRegistered('https://app.example/cb?x=1', web));
  for (const different of [
    'https://app.example/cb?x=1/',
    'https://app.example/cb',
    'https://app.example/cb?x=1&y=2',
    'https://APP.example/cb?x=1',
    'HTTPS://app.example/cb?x=1',
    'https://app.example:443/cb?x=1',
    'https://app.example/%63b?x=1',
    'https://app.example/./cb?x=1',
    'https://user@app.example/cb?x=1',
    'https://app.example/cb?x=1#',
    'https://app.example/cb?x=1 ',
  ]) {
    t.false(isRegistered(different, web), different);
  }
});

test('a native loopback registration without a port stands for every port', (t) => {
  for (const uri of [
    'http://127.0.0.1:1/cb',
    'http://127.0.0.1:65535/cb',
    'http://[::1]:51000/cb',
  ]) {
    t.true(isRegistered(uri, native), uri);
  }
  for (const uri of [
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:0/cb',
    'http://127.0.0.1:080/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:80@evil.example/cb',
    'http://127.0.0.1:80/other',
    'http://127.0.0.1:9/fixed',
    'http://localhost:80/cb',
    'https://127.0.0.1:80/cb',
  ]) {
    t.false(isRegistered(uri, native), uri);
  }
});

test('ports are exact for every client that is not native', (t) => {
  const page = { kind: 'public' as const, redirectUris: ['http://127.0.0.1/cb'] };
  t.false(isRegistered('http://127.0.0.1:8080/cb', page));
});

test('nothing but the registered string passes, ports of native loopback aside', (t) => {
  const uris = [...web.redirectUris, ...native.redirectUris];
  const mutation = fc.record({
    uri: fc.constantFrom(...uris),
    at: fc.nat(60),
    text: fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
    cut: fc.nat(6),
  });
  t.notThrows(() =>
    fc.assert(
      fc.property(mutation, ({ uri, at, text, cut }) => {
        const index = at % (uri.length + 1);
        const mutated = uri.slice(0, index) + text + uri.slice(index + cut);
        if (isRegistered(mutated, web)) return web.redirectUris.includes(mutated);
        if (!isRegistered(mutated, native) || native.redirectUris.includes(mutated)) return true;
        return native.redirectUris.includes(mutated.replace(/:(\d+)\/cb$/, '/cb'));
      }),
      { numRuns: 2_000 },
    ),
  );
});

test('a registered query is kept, code and state are added', (t) => {
  t.is(
    withParameters('https://a.example/cb?x=1', { code: 'c', state: 'a&b %=é' }),
    'https://a.example/cb?x=1&code=c&state=a%26b%20%25%3D%C3%A9',
  );
  t.is(
    withParameters('https://a.example/cb', { code: 'c', state: null }),
    'https://a.example/cb?code=c',
  );
  t.is(withParameters('com.example.app:/cb', { error: 'e' }), 'com.example.app:/cb?error=e');
  t.is(withParameters('https://a.example/cb?', { code: 'c' }), 'https://a.example/cb?code=c');
});

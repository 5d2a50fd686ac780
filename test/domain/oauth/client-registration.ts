import test from 'ava';
import { decideRegistration } from '../../../domain/oauth/clients/client-registration.ts';

const typed = { kind: 'public', name: ' App ', redirectUris: 'https://a.example/cb\n' };

test('what may be registered is trimmed, line by line, each URI once', (t) => {
  const redirectUris = '\r\n https://a.example/cb \r\nhttps://a.example/cb\rhttps://b.example/cb';
  t.deepEqual(decideRegistration({ ...typed, redirectUris }), {
    registration: {
      kind: 'public',
      name: 'App',
      redirectUris: ['https://a.example/cb', 'https://b.example/cb'],
    },
  });
});

test('before verification every redirect URI leads to the own machine', (t) => {
  const problemsOf = (redirectUris: string) => {
    const decision = decideRegistration({ ...typed, redirectUris }, { isTrial: true });
    return 'problems' in decision ? decision.problems.redirectUris : null;
  };
  const loopback = ['http://localhost:5173/cb', 'http://127.0.0.1/', 'http://[::1]:1/'];
  t.is(problemsOf(loopback.join('\n')), null);
  for (const uri of ['https://a.example/cb', 'https://127.0.0.1.example/', 'https://10.0.0.1/']) {
    t.deepEqual(problemsOf(`${loopback[0]}\n${uri}`), [{ uri, reason: 'not_loopback' }]);
  }
});

test('every problem is named at once, each at its field', (t) => {
  const nothing = { kind: '', name: '', redirectUris: 'http://a.example\n/cb' };
  t.deepEqual(decideRegistration(nothing), {
    problems: {
      kind: 'unknown',
      name: 'required',
      redirectUris: [
        { uri: 'http://a.example', reason: 'scheme' },
        { uri: '/cb', reason: 'not_absolute' },
      ],
    },
  });
});

test('a name follows the rule of all names; the platform’s own clients carry its name', (t) => {
  const problemOf = (name: string, isFirstParty = false) => {
    const decision = decideRegistration({ ...typed, name }, { isTrial: false, isFirstParty });
    return 'problems' in decision ? decision.problems.name : null;
  };
  for (const name of ['Ada\u200bShop', '\u3164', 'Shop\u{e0041}']) {
    t.is(problemOf(name), 'unreadable', JSON.stringify(name));
  }
  t.is(problemOf('Gatehouse'), 'reserved');
  t.is(problemOf('Gatehouse for phones', true), null);
  t.is(problemOf('Ada https://a.example'), 'web_address');
});

test('a name of 80 characters passes, whatever their size; 81 do not', (t) => {
  t.true('registration' in decideRegistration({ ...typed, name: '漢'.repeat(80) }));
  t.deepEqual(decideRegistration({ ...typed, name: 'x'.repeat(81) }), {
    problems: { name: 'too_long' },
  });
});

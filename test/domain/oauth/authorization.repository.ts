import { createHash, randomBytes } from 'node:crypto';
import test from 'ava';
import { authenticateToken } from '../../../domain/authentication/authentication.query.ts';
import { ENTITIES } from '../../../domain/entities.ts';
import { grantCode } from '../../../domain/oauth/consent.command.ts';
import { revokeConsent } from '../../../domain/oauth/connected-apps.command.ts';
import { exchangeCode } from '../../../domain/oauth/tokens/exchange-code.repository.ts';
import type { ExchangeRequest } from '../../../domain/oauth/tokens/decide-exchange.ts';
import { createClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { revokeToken } from '../../../domain/oauth/authorization.repository.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { newCredential, newUuid } from '../../../domain/shared/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/engines/database.ts';

const REDIRECT_URI = 'https://app.example/cb';
const HOUR_MS = 3_600_000;
const MANY = 1_000_000;
const WINDOW = { name: 'token', limit: MANY, address: '192.0.2.1', addressLimit: MANY };

type Exchange = ExchangeRequest & { clientId: string };

let testDatabase: TestDatabase;
let database: Database;
let personId: string;
let productId: string;
let clientId: string;

test.before(async () => {
  testDatabase = await createTestDatabase();
  const { url } = testDatabase;
  database = openDatabase({ url, listenUrl: url, name: 'test', entities: ENTITIES });
  [personId, productId] = [newUuid(), newUuid()];
  await testDatabase.query(
    `insert into person (id, handle, display_name, email) values ($1, 'pat', 'Pat', 'pat@example.com')`,
    [personId],
  );
  await testDatabase.query(
    `insert into product (id, owner_person_id, name, tagline) values ($1, $2, 'P', '')`,
    [productId, personId],
  );
  clientId = await newClient();
});
test.after.always(async () => {
  await database?.close();
  await testDatabase?.drop();
});

async function newClient(kind: 'public' | 'confidential' = 'public'): Promise<string> {
  const client = { productId, kind, name: 'App', redirectUris: [REDIRECT_URI] };
  return (await database.transaction((em) => createClient(em, client))).clientId;
}

/** A code that was just granted, with all that its exchange needs. */
async function newCode({ isProven = true, client = clientId } = {}): Promise<Exchange> {
  const verifier = isProven ? randomBytes(32).toString('base64url') : null;
  const challenge = verifier && createHash('sha256').update(verifier).digest('base64url');
  const kept = {
    clientId: client,
    redirectUri: REDIRECT_URI,
    scope: 'identity',
    state: null,
    challenge,
  };
  const code = await database.transaction((em) => grantCode(em, personId, kept));
  return { code, clientId: client, redirectUri: REDIRECT_URI, verifier };
}

/** By a client without a secret. */
async function exchange({ clientId: client, ...request }: Exchange, window = WINDOW) {
  const question = { clientId: client, secret: null, window, exchange: request };
  return (await exchangeCode(database.pool, question))?.issued ?? null;
}

const authenticate = (credential: string) =>
  authenticateToken(database.pool, { credential, window: 'api_reads', accessOf: false });
const bearerKind = async (token: string) => {
  const answer = await authenticate(token);
  if (answer === null) return 'invalid';
  return answer === 'deleted' ? 'deleted' : 'bearer';
};

// They share one clock, and some move it.
test.serial('a code is exchanged for a token that acts for its person', async (t) => {
  const issued = await exchange(await newCode());
  t.is(issued?.scope, 'identity');
  const answer = await authenticate(issued!.token);
  t.like(answer, { principal: { personId, clientId, productId, handle: 'pat' } });
});

test.serial(
  'of eight parallel exchanges of one code one succeeds, and its token still works',
  async (t) => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    const issued = answers.filter((answer) => answer !== null);
    t.is(issued.length, 1);
    t.is(await bearerKind(issued[0]!.token), 'bearer');
  },
);

test.serial('an exchange with any binding that differs consumes nothing', async (t) => {
  const code = await newCode();
  const other = await newClient();
  for (const wrong of [
    { clientId: other },
    { redirectUri: `${REDIRECT_URI}/` },
    { verifier: 'x'.repeat(43) },
    { verifier: null },
    { code: newCredential('gac_') },
    { code: 'gac_short' },
  ]) {
    t.is(await exchange({ ...code, ...wrong }), null, JSON.stringify(wrong));
  }
  t.not(await exchange(code), null);
});

test.serial(
  'beyond the limit of its client nothing is consumed, however many come at once',
  async (t) => {
    const client = await newClient();
    const codes = await Promise.all(Array.from({ length: 9 }, () => newCode({ client })));
    const window = { ...WINDOW, name: 'few', limit: 4 };
    const first = await Promise.all(codes.map((code) => exchange(code, window)));
    t.is(first.filter((issued) => issued !== null).length, 4);
    const later = await Promise.all(codes.map((code) => exchange(code)));
    t.is(later.filter((issued) => issued !== null).length, 5);
  },
);

test.serial(
  'where the client is not proven its code is not touched, and neighbours are served',
  async (t) => {
    const { clientId: client, secret } = await database.transaction((em) =>
      createClient(em, {
        productId,
        kind: 'confidential',
        name: 'App',
        redirectUris: [REDIRECT_URI],
      }),
    );
    const code = await newCode({ client });
    const ask = (given: string | null) =>
      exchangeCode(database.pool, {
        clientId: client,
        secret: given,
        window: WINDOW,
        exchange: code,
      });
    const wrong = [null, newCredential('gcs_'), `${secret}x`];
    const [neighbour, ...answers] = await Promise.all([
      exchange(await newCode()),
      ...wrong.map((given) => ask(given)),
    ]);
    t.not(neighbour, null);
    for (const answer of answers) t.like(answer, { isProven: false, issued: null });
    t.like(await ask(secret), { isProven: true, issued: { scope: 'identity' } });
  },
);

test.serial('a verifier for a code without a challenge is refused (downgrade)', async (t) => {
  const code = await newCode({ isProven: false });
  t.is(await exchange({ ...code, verifier: 'x'.repeat(43) }), null);
  t.not(await exchange(code), null);
});

test.serial('a code works for 5 minutes by the database clock', async (t) => {
  const [young, old] = [await newCode(), await newCode()];
  await testDatabase.advance(299_000);
  t.not(await exchange(young), null);
  await testDatabase.advance(2_000);
  t.is(await exchange(old), null);
});

test.serial(
  'a replay kills the token, except at once by the same client with the right verifier',
  async (t) => {
    const code = await newCode();
    const issued = await exchange(code);
    t.is(await exchange(code), null);
    t.is(await bearerKind(issued!.token), 'bearer');
    await testDatabase.advance(11_000);
    t.is(await exchange(code), null);
    t.is(await bearerKind(issued!.token), 'invalid');
    const stolen = await newCode();
    const token = (await exchange(stolen))!.token;
    t.is(await exchange({ ...stolen, verifier: 'x'.repeat(43) }), null);
    t.is(await bearerKind(token), 'invalid');
  },
);

test.serial('an access token is valid for 30 days from issue', async (t) => {
  const issued = await exchange(await newCode());
  await testDatabase.advance(30 * 24 * HOUR_MS - 60_000);
  t.is(await bearerKind(issued!.token), 'bearer');
  await testDatabase.advance(60_000);
  t.is(await bearerKind(issued!.token), 'invalid');
});

test.serial(
  'revoking an app kills its tokens and unused codes of that person, and nothing else',
  async (t) => {
    const other = await newClient();
    const [issued, elsewhere] = [
      await exchange(await newCode()),
      await exchange(await newCode({ client: other })),
    ];
    const unused = await newCode();
    t.true(await database.transaction((em) => revokeConsent(em, { personId, clientId })));
    t.is(await bearerKind(issued!.token), 'invalid');
    t.is(await exchange(unused), null);
    t.is(await bearerKind(elsewhere!.token), 'bearer');
    t.false(await database.transaction((em) => revokeConsent(em, { personId, clientId })));
  },
);

test.serial('exchange against revocation: no token outlives it', async (t) => {
  for (let round = 0; round < 40; round += 1) {
    const code = await newCode();
    const [issued] = await Promise.all([
      exchange(code),
      database.transaction((em) => revokeConsent(em, { personId, clientId })),
    ]);
    if (issued) t.is(await bearerKind(issued.token), 'invalid', `round ${round}`);
  }
  t.pass();
});

test.serial('a client gives back its own token, never another one', async (t) => {
  const issued = await exchange(await newCode());
  const other = await newClient();
  await revokeToken(database.em(), { token: issued!.token, clientId: other });
  t.is(await bearerKind(issued!.token), 'bearer');
  await revokeToken(database.em(), { token: issued!.token, clientId });
  t.is(await bearerKind(issued!.token), 'invalid');
});

test.serial(
  'a token whose person or client was deleted is gone, also where it was revoked too',
  async (t) => {
    const client = await newClient();
    const issued = await exchange(await newCode({ client }));
    await database.transaction((em) => revokeConsent(em, { personId, clientId: client }));
    await testDatabase.query('update oauth_client set deleted_at = gatehouse_now() where id = $1', [
      client,
    ]);
    t.is(await bearerKind(issued!.token), 'deleted');
  },
);

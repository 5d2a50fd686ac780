import test from 'ava';
import { grantCode } from '../../domain/oauth/consent.command.ts';
import { hashCredential } from '../../domain/shared/ids.ts';
import { startApi } from '../support/http/api.ts';
import { startApiProcesses, type ApiProcess } from '../support/http/api-processes.ts';
import { exchange, newProof, readProfile, type Client } from '../support/identity/oauth.ts';

const USER = '00000000-0000-0000-0000-000000000000';
const CHECK = `/api/v1/entitlements?user_id=${USER}`;
const REQUESTS = 3_000;
const AT_ONCE = 40;
// By hand: `RACES=200 npm test -- test/api/two-processes.test.ts`.
const RACES = Number(process.env['RACES'] ?? 50);
const REFUSALS = 10 * RACES;
const EXCHANGES = 50;
const MANY = 1_000_000;

const api = await startApi();
const product = await api.seed.product();
const busy = await api.seed.product();
let processes: ApiProcess[] = [];
test.before(async () => {
  processes = await startApiProcesses(api, {
    count: 2,
    limits: { token: MANY, app_access: MANY, unknown_credential: MANY },
  });
});
test.after.always(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await api.close();
});

const oneOf = (turn: number) => processes[turn % processes.length]!;

/** A code as the consent page makes it. */
async function newCode(client: Client, personId: string) {
  const { verifier, challenge } = newProof();
  const { clientId, redirectUri } = client;
  const request = { clientId, redirectUri, scope: 'identity', challenge };
  const code = await api.database.transaction((em) => grantCode(em, personId, request));
  return { client, code, fields: { code_verifier: verifier } };
}

type HttpResponse = { access_token?: string; error?: string };

const tokensIn = (answers: HttpResponse[]) =>
  answers.flatMap(({ access_token: token }) => token ?? []);

test.serial(
  `two concurrent exchanges of one code cannot both succeed: 50 over two processes, ${RACES} times`,
  async (t) => {
    t.timeout(240_000);
    t.not(oneOf(0).pid, oneOf(1).pid);
    const client = await api.seed.client({ product: await api.seed.product() });
    const { id: personId } = await api.seed.person();
    for (let round = 0; round < RACES; round += 1) {
      const given = await newCode(client, personId);
      const answers = await Promise.all(
        Array.from({ length: EXCHANGES }, async (_, n) => {
          const response = await exchange(oneOf(n), given);
          return (await response.json()) as HttpResponse;
        }),
      );
      const tokens = tokensIn(answers);
      t.is(tokens.length, 1, `round ${round}`);
      t.is(answers.filter(({ error }) => error === 'invalid_grant').length, EXCHANGES - 1);
      t.is((await readProfile(oneOf(round), tokens[0]!)).status, 200, 'and it works');
    }
    const counted = 'select count(*)::int as n from access_token';
    t.deepEqual(await api.test.query(counted), [{ n: RACES }]);
  },
);

test.serial(
  `exchange against revocation: no token outlives it, over two processes, ${RACES} times`,
  async (t) => {
    t.timeout(240_000);
    const client = await api.seed.client({ product: await api.seed.product() });
    const person = await api.seed.person();
    const browser = oneOf(0).browser();
    await browser.signIn(person);
    const page = await (await browser.get('/settings/apps')).text();
    const csrf = /name="csrf" value="([^"]*)"/.exec(page)![1]!;
    const cookies = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const revoke = (at: ApiProcess) =>
      at.request(`/settings/apps/${client.clientId}/revoke`, {
        method: 'POST',
        headers: { cookie: cookies },
        body: new URLSearchParams({ csrf }),
      });
    let issued = 0;
    for (let round = 0; round < RACES; round += 1) {
      const given = await newCode(client, person.id);
      const [revoked, ...answers] = await Promise.all([
        revoke(oneOf(round + 1)),
        ...[0, 1, 2, 3].map(
          async (n) => (await (await exchange(oneOf(n), given)).json()) as HttpResponse,
        ),
      ]);
      t.is(revoked.status, 303);
      const tokens = tokensIn(answers);
      issued += tokens.length;
      t.true(tokens.length <= 1);
      for (const token of tokens) {
        for (const each of processes)
          t.is((await readProfile(each, token)).status, 401, `round ${round}`);
      }
      t.is((await exchange(oneOf(round), given)).status, 400, 'nor a code');
    }
    t.log(`${issued} of ${RACES} exchanges came before the revocation`);
  },
);

/** In turn by each of the processes. */
async function ask(credential: string, { path = CHECK, turn = 0 } = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${credential}` };
  const response = await oneOf(turn).request(path, { headers });
  await response.arrayBuffer();
  return response;
}

async function askMany(credential: string, { count, path }: { count: number; path?: string }) {
  const statuses: number[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    const round = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, turn) =>
      ask(credential, path ? { path, turn } : { turn }),
    );
    statuses.push(...(await Promise.all(round)).map(({ status }) => status));
  }
  return statuses;
}

const countOf = (statuses: number[], status: number) =>
  statuses.filter((each) => each === status).length;

test.serial(
  'exactly 600 of 3,000 requests to two processes are admitted in one window, and the boundary resets',
  async (t) => {
    // The clock of the database stands still, five seconds before a boundary.
    await api.test.query(`
      create or replace function gatehouse_now() returns timestamptz language sql stable parallel safe
        as $$ select '2026-03-01T12:00:55Z'::timestamptz + ahead from test_clock $$`);
    const statuses = await askMany(product.liveKey, { count: REQUESTS });
    t.is(countOf(statuses, 200), 600);
    t.is(countOf(statuses, 429), REQUESTS - 600);
    const refused = await ask(product.liveKey);
    t.is(refused.headers.get('retry-after'), '5');
    t.is(refused.headers.get('ratelimit-remaining'), '0');
    await api.test.advance(5_000);
    const authenticated = await ask(product.liveKey, { turn: 1 });
    t.is(authenticated.status, 200);
    t.is(authenticated.headers.get('ratelimit-remaining'), '599');
  },
);

type Credential = { path: string; issue(): Promise<string>; revokeSql: string };

const CREDENTIALS: Record<string, Credential> = {
  key: {
    path: CHECK,
    issue: () => api.seed.key({ productId: product.id, mode: 'live' }),
    revokeSql: 'update api_key set revoked_at = gatehouse_now() where key_hash = $1',
  },
  token: {
    path: '/api/v1/me',
    issue: async () => (await api.seed.token({ product })).token,
    revokeSql: 'update access_token set revoked_at = gatehouse_now() where token_hash = $1',
  },
};

for (const [kind, { path, issue, revokeSql }] of Object.entries(CREDENTIALS)) {
  test.serial(
    `a ${kind} revoked through one process is refused by both on the next request, ${REFUSALS} times, under load`,
    async (t) => {
      const stop = new AbortController();
      const load = async (turn: number) => {
        while (!stop.signal.aborted) await ask(busy.liveKey, { turn });
      };
      const loads = Array.from({ length: 8 }, (_, turn) => load(turn));
      try {
        for (let done = 0; done < REFUSALS; done += 2 * AT_ONCE) {
          const credential = await issue();
          t.is((await ask(credential, { path })).status, 200);
          const underWay = askMany(credential, { count: AT_ONCE, path });
          await api.test.query(revokeSql, [hashCredential(credential)]);
          const statuses = await askMany(credential, { count: 2 * AT_ONCE, path });
          t.is(countOf(statuses, 401), 2 * AT_ONCE);
          await underWay;
        }
      } finally {
        stop.abort();
        await Promise.all(loads);
      }
    },
  );
}

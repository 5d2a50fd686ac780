import test from 'ava';
import { grantCode } from '../../../domain/oauth/consent.repository.ts';
import { startApi } from '../../support/http/api.ts';
import { startApiProcesses, type ApiProcess } from '../../support/http/api-processes.ts';
import { exchange, newProof, readProfile, type Client } from '../../support/identity/oauth.ts';

const ROUNDS = 200;
const EXCHANGES = 50;
const REVOCATIONS = 100;
const MANY = 1_000_000;
const limits = { token: MANY, api_reads: MANY, unknown_credential: MANY };

const api = await startApi();
let processes: ApiProcess[] = [];
test.before(async () => {
  processes = await startApiProcesses(api, { count: 2, limits });
});
test.after.always(async () => {
  await Promise.all(processes.map((each) => each.close()));
  await api.close();
});

/** A code as the consent page makes it. */
async function newCode(client: Client, personId: string) {
  const { verifier, challenge } = newProof();
  const { clientId, redirectUri } = client;
  const request = { clientId, redirectUri, scope: 'identity', challenge };
  const code = await api.database.transaction((em) => grantCode(em, personId, request));
  return { client, code, fields: { code_verifier: verifier } };
}

const oneOf = (n: number) => processes[n % processes.length]!;

type HttpResponse = { access_token?: string; error?: string };

const tokensIn = (answers: HttpResponse[]) =>
  answers.flatMap(({ access_token: token }) => token ?? []);

test.serial(
  'two concurrent exchanges of one code cannot both succeed: 50 over two processes, 200 times',
  async (t) => {
    t.timeout(240_000);
    t.not(oneOf(0).pid, oneOf(1).pid);
    const client = await api.seed.client({ product: await api.seed.product() });
    const { id: personId } = await api.seed.person();
    for (let round = 0; round < ROUNDS; round += 1) {
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
    const [row] = await api.test.query<{ n: number }>(
      'select count(*)::int as n from access_token',
    );
    t.is(row?.n, ROUNDS);
  },
);

test.serial(
  'exchange against revocation: no token outlives it, over two processes, 100 times',
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
    for (let round = 0; round < REVOCATIONS; round += 1) {
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
    t.log(`${issued} of ${REVOCATIONS} exchanges came before the revocation`);
  },
);

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { readHostEnvironment } from '../../platform/config.ts';
import { startApi } from '../support/http/api.ts';
import { decide } from '../support/identity/oauth.ts';
import { findFreePort, isOnThisMachine } from '../support/repository/documented.ts';
import { readBlocks } from '../support/repository/documents.ts';

const api = await startApi();
const product = await api.seed.product();
const person = await api.seed.person();
await api.seed.grant({ productId: product.id, personId: person.id });
const { token } = await api.seed.token({ product, person });

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
const running: ChildProcess[] = [];
test.after.always(async () => {
  for (const program of running) program.kill();
  rmSync(folder, { recursive: true });
  await api.close();
});

const APPS = [
  { name: 'TypeScript', language: 'ts', file: 'app.mts', command: process.execPath },
  { name: 'Python', language: 'python', file: 'app.py', command: 'python3' },
] as const;

type App = (typeof APPS)[number];

/** The app of a language, for a client with a secret or without. */
async function start({ language, file, command }: App, kind: 'confidential' | 'native') {
  writeFileSync(join(folder, file), readBlocks('docs/sign-in.md', language)[0]!);
  const at = `http://127.0.0.1:${await findFreePort()}`;
  const redirectUri = `${at}/callback`;
  const client = await api.seed.client({ product, kind, redirectUris: [redirectUri] });
  const program = spawn(command, [file], {
    cwd: folder,
    env: {
      ...readHostEnvironment(),
      STORE: api.url,
      REDIRECT_URI: redirectUri,
      CLIENT_ID: client.clientId,
      ...(client.secret ? { CLIENT_SECRET: client.secret } : {}),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(program);
  await once(program.stdout, 'data');
  return at;
}

const get = (url: string, cookie?: string) =>
  fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });

/**
 * A sign-in that a browser began: its cookie, and the callback that the consent page leads to.
 * Each by a person of its own: a person may decide ten times a minute.
 */
async function begin(app: string, decision = 'allow') {
  const visitor = await api.seed.person();
  await api.seed.grant({ productId: product.id, personId: visitor.id });
  const begun = await get(app);
  const [cookie = ''] = begun.headers.getSetCookie();
  const { pathname, search } = new URL(begun.headers.get('location')!);
  const browser = api.browser();
  await browser.signIn(visitor);
  const decided = await decide(browser, pathname + search, { decision });
  const callback = decided.headers.get('location')!;
  return { visitor, cookie, pair: cookie.split(';')[0]!, callback };
}

for (const app of APPS) {
  const has = isOnThisMachine({ probe: [app.command, '--version'] });
  const check = has ? test.serial : test.serial.skip;
  const title = `docs/sign-in.md in ${app.name}${has ? '' : `: no ${app.command} here`}`;

  for (const kind of ['confidential', 'native'] as const) {
    check(`${title}: the app signs a person in, with a ${kind} client`, async (t) => {
      const { visitor, cookie, pair, callback } = await begin(await start(app, kind));
      t.regex(cookie, /HttpOnly; SameSite=Lax/);
      const finished = await get(callback, `theme=dark; ${pair}`);
      t.is(finished.status, 200);
      t.like(await finished.json(), { id: visitor.id, entitlement: { active: true } });
      t.is((await get(callback, pair)).status, 400, 'once');
    });
  }

  check(`${title}: nobody can finish the sign-in of another browser`, async (t) => {
    const at = await start(app, 'confidential');
    const attacker = await begin(at);
    const victim = await begin(at);
    const withoutCookie = await get(attacker.callback);
    t.is(withoutCookie.status, 400);
    t.regex(await withoutCookie.text(), /This browser began no sign-in here/);
    t.is(
      (await get(attacker.callback, victim.pair)).status,
      400,
      'the state is of another browser',
    );
    t.is((await get(victim.callback, victim.pair)).status, 200, 'its own sign-in goes on');
  });

  check(`${title}: a refusal is said, of the person and of the platform`, async (t) => {
    const at = await start(app, 'confidential');
    const refused = await begin(at, 'deny');
    const denied = await get(refused.callback, refused.pair);
    t.is(denied.status, 400);
    t.regex(await denied.text(), /did not allow/);
    const { pair, callback } = await begin(at);
    const wrong = await get(callback.replace(/code=gac_\w{6}/, 'code=gac_000000'), pair);
    t.is(wrong.status, 400);
    t.regex(await wrong.text(), /code/);
  });
}

const env = {
  ...readHostEnvironment(),
  GATEHOUSE: api.url,
  GATEHOUSE_KEY: product.liveKey,
  GATEHOUSE_TEST_KEY: product.testKey,
  USER_ID: person.id,
  PERSON_TOKEN: token,
};
const run = promisify(execFile);
const shell = readBlocks('docs/access.md', 'sh').filter((code) => code.startsWith('curl'));
const scripts = readBlocks('docs/access.md', 'ts');

const byCurl = async (code: string) =>
  JSON.parse((await run('sh', ['-c', code], { env })).stdout) as object;

async function byNode(code: string, more: object = {}): Promise<string> {
  const file = join(folder, `${scripts.indexOf(code)}.ts`);
  writeFileSync(file, code);
  const { stdout } = await run(process.execPath, [file], { env: { ...env, ...more } });
  return stdout.trim();
}

test('docs/access.md in curl: check, report by token and by key, test key', async (t) => {
  t.is(shell.length, 4);
  const [check, byToken, byKey, forced] = await Promise.all(shell.map(byCurl));
  t.like(check, { user_id: person.id, active: true, type: 'purchase', test_mode: false });
  t.like(byToken, { ok: true, counted: true, qualifying: true, test_mode: false });
  t.like(byKey, { ok: true, counted: true, qualifying: false });
  t.like(forced, { active: false, test_mode: true });
});

/** A platform that counts what it is asked, and answers it alike. */
async function startStub(status: number, headers: Record<string, string> = {}) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status, headers).end('{"active":true}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, close: () => server.close() };
}

const GATES = [
  {
    name: 'TypeScript',
    language: 'ts',
    file: 'gate.ts',
    command: process.execPath,
    check: {
      file: 'check.ts',
      code: `import { accessOf, forget } from './gate.ts';
        for (const id of ['a', 'a', 'b']) await accessOf(id);
        forget('a');
        await accessOf('a');`,
    },
  },
  {
    name: 'Python',
    language: 'python',
    file: 'gate.py',
    command: 'python3',
    check: {
      file: 'check.py',
      code: [
        'from gate import access_of, forget',
        'for each in ["a", "a", "b"]: access_of(each)',
        'forget("a")',
        'access_of("a")',
      ].join('\n'),
    },
  },
] as const;

for (const { name, language, file, command, check } of GATES) {
  const has = isOnThisMachine({ probe: [command, '--version'] });
  const gateTest = has ? test : test.skip;
  const title = `docs/access.md in ${name}${has ? '' : `: no ${command} here`}: the gate`;

  // Written once: a program that starts must not find the file of another test half written.
  writeFileSync(join(folder, file), readBlocks('docs/access.md', language)[0]!);
  async function ask(more: object = {}, program: string = file): Promise<string> {
    const { stdout } = await run(command, [join(folder, program)], { env: { ...env, ...more } });
    return stdout.trim();
  }

  gateTest(`${title} opens, locks and tells that it is refused`, async (t) => {
    t.is(await ask(), 'open');
    t.is(await ask({ USER_ID: (await api.seed.person()).id }), 'locked');
    await t.throwsAsync(ask({ GATEHOUSE_KEY: 'gk_live_x' }), { message: /refuses the check: 401/ });
  });

  gateTest(`${title} does not wait for the next minute in a page`, async (t) => {
    const stub = await startStub(429, { 'retry-after': '40' });
    t.teardown(stub.close);
    t.is(await ask({ GATEHOUSE: stub.url }), 'unknown');
    t.is(stub.asked(), 1);
  });

  gateTest(
    `${title} asks three times while there is no answer, and then knows nothing`,
    async (t) => {
      const stub = await startStub(503);
      t.teardown(stub.close);
      t.is(await ask({ GATEHOUSE: stub.url }), 'unknown');
      t.is(stub.asked(), 3);
      const nobody = `http://127.0.0.1:${await findFreePort()}`;
      t.is(await ask({ GATEHOUSE: nobody }), 'unknown');
    },
  );

  gateTest(`${title} keeps an answer until an event about the person`, async (t) => {
    const stub = await startStub(200);
    t.teardown(stub.close);
    writeFileSync(join(folder, check.file), check.code);
    await ask({ GATEHOUSE: stub.url, USER_ID: 'a' }, check.file);
    t.is(stub.asked(), 3, 'for a, for b, and for a again');
  });
}

test('docs/access.md in TypeScript: the report', async (t) => {
  t.is(await byNode(scripts[1]!), '{ counted: true, qualifying: true, reason: undefined }');
});

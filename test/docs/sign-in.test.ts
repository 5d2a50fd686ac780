import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** A sign-in that a browser began: its cookie, and the callback that the consent page leads to. */
async function begin(app: string, decision = 'allow') {
  const begun = await get(app);
  const [cookie = ''] = begun.headers.getSetCookie();
  const { pathname, search } = new URL(begun.headers.get('location')!);
  const browser = api.browser();
  await browser.signIn(person);
  const decided = await decide(browser, pathname + search, { decision });
  return { cookie, pair: cookie.split(';')[0]!, callback: decided.headers.get('location')! };
}

for (const app of APPS) {
  const has = isOnThisMachine({ probe: [app.command, '--version'] });
  const check = has ? test.serial : test.serial.skip;
  const title = `docs/sign-in.md in ${app.name}${has ? '' : `: no ${app.command} here`}`;

  for (const kind of ['confidential', 'native'] as const) {
    check(`${title}: the app signs a person in, with a ${kind} client`, async (t) => {
      const { cookie, pair, callback } = await begin(await start(app, kind));
      t.regex(cookie, /HttpOnly; SameSite=Lax/);
      const finished = await get(callback, `theme=dark; ${pair}`);
      t.is(finished.status, 200);
      t.like(await finished.json(), { id: person.id, entitlement: { active: true } });
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

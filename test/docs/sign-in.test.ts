import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readHostEnvironment } from '../../platform/config.ts';
import { startApi } from '../support/http/api.ts';
import { decide } from '../support/identity/oauth.ts';
import { findFreePort } from '../support/repository/documented.ts';
import { readBlocks } from '../support/repository/documents.ts';

const api = await startApi();
const product = await api.seed.product();
const person = await api.seed.person();
await api.seed.grant({ productId: product.id, personId: person.id });
const port = await findFreePort();
const app = `http://localhost:${port}`;
const client = await api.seed.client({ product, redirectUris: [`${app}/callback`] });

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'app.mjs'), readBlocks('docs/sign-in.md', 'js')[0]!);
const program = spawn(process.execPath, ['app.mjs'], {
  cwd: folder,
  env: {
    ...readHostEnvironment(),
    STORE: api.url,
    PORT: String(port),
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.secret,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
test.before(async () => {
  await once(program.stdout, 'data');
});
test.after.always(async () => {
  program.kill();
  rmSync(folder, { recursive: true });
  await api.close();
});

const get = (url: string, cookie?: string) =>
  fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });

/** A sign-in that a browser began: its cookie, and the callback that the consent page leads to. */
async function begin() {
  const begun = await get(app);
  const [cookie = ''] = begun.headers.getSetCookie();
  const { pathname, search } = new URL(begun.headers.get('location')!);
  const browser = api.browser();
  await browser.signIn(person);
  const answer = await decide(browser, pathname + search);
  return { cookie, pair: cookie.split(';')[0]!, callback: answer.headers.get('location')! };
}

test.serial('docs/sign-in.md: the app signs a person in', async (t) => {
  const { cookie, pair, callback } = await begin();
  t.regex(cookie, /HttpOnly; SameSite=Lax/);
  const finished = await get(callback, `theme=dark; ${pair}`);
  t.is(finished.status, 200);
  t.like(await finished.json(), { id: person.id, entitlement: { active: true } });
  t.is((await get(callback, pair)).status, 400, 'once');
});

test.serial('docs/sign-in.md: nobody can finish the sign-in of another browser', async (t) => {
  const attacker = await begin();
  const victim = await begin();
  const withoutCookie = await get(attacker.callback);
  t.is(withoutCookie.status, 400);
  t.regex(await withoutCookie.text(), /This browser began no sign-in here/);
  t.is((await get(attacker.callback, victim.pair)).status, 400, 'the state is of another browser');
  t.is((await get(victim.callback, victim.pair)).status, 200, 'its own sign-in goes on');
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { readHostEnvironment } from '../../platform/config.ts';
import { startApi } from '../support/http/api.ts';
import { readBlocks } from '../support/repository/documents.ts';

const api = await startApi();
const product = await api.seed.product();
const person = await api.seed.person();
await api.seed.grant({ productId: product.id, personId: person.id });
const { token } = await api.seed.token({ product, person });
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
test.after.always(async () => {
  rmSync(folder, { recursive: true });
  await api.close();
});

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

test('docs/access.md in TypeScript: the gate opens, locks and tells that it is refused', async (t) => {
  const [gate = ''] = scripts;
  t.is(await byNode(gate), 'open');
  t.is(await byNode(gate, { USER_ID: (await api.seed.person()).id }), 'locked');
  await t.throwsAsync(byNode(gate, { GATEHOUSE_KEY: 'gk_live_x' }), { message: /401/ });
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

test('docs/access.md in TypeScript: the gate does not wait for the next minute in a page', async (t) => {
  const stub = await startStub(429, { 'retry-after': '40' });
  t.teardown(stub.close);
  t.is(await byNode(scripts[0]!, { GATEHOUSE: stub.url }), 'unknown');
  t.is(stub.asked(), 1);
});

test('docs/access.md in TypeScript: the gate keeps an answer until an event about the person', async (t) => {
  const stub = await startStub(200);
  t.teardown(stub.close);
  const check = `import { accessOf, forget } from './gate.ts';
    for (const id of ['a', 'a', 'b']) await accessOf(id);
    forget('a');
    await accessOf('a');`;
  writeFileSync(join(folder, 'gate.ts'), scripts[0]!);
  writeFileSync(join(folder, 'check.ts'), check);
  const more = { GATEHOUSE: stub.url, USER_ID: 'a' };
  await run(process.execPath, [join(folder, 'check.ts')], { env: { ...env, ...more } });
  t.is(stub.asked(), 3, 'for a, for b, and for a again');
});

test('docs/access.md in TypeScript: the report', async (t) => {
  t.is(await byNode(scripts[1]!), '{ counted: true, qualifying: true, reason: undefined }');
});

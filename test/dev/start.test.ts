import { createServer } from 'node:net';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { launchStart, watchChildren } from '../support/engines/launcher.ts';
import type { Launcher } from '../support/engines/launcher.ts';

const EVERYTHING = ['api', 'postgres', 'simulator', 'temporal', 'worker'];
const READY = /^Ready in/m;
const dataDir = join(tmpdir(), `gatehouse-start-${process.pid}`);
const launchers: Launcher[] = [];

function start(settings: Record<string, string> = {}): Launcher {
  const launcher = launchStart(dataDir, settings);
  launchers.push(launcher);
  return launcher;
}

let running: Launcher | undefined;
/** One platform, looked at and hurt by one test after another. */
async function startOnce(): Promise<Launcher> {
  running ??= start();
  await running.waitFor(READY);
  return running;
}

function readDemo() {
  return JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
    base_url: string;
    people: { id: string; email: string; password: string }[];
    products: { slug: string; live_key: string }[];
  };
}

async function askEntitlement(): Promise<{ status: number; body: unknown }> {
  const { base_url, people, products } = readDemo();
  const response = await fetch(`${base_url}/api/v1/entitlements?user_id=${people[0]?.id}`, {
    headers: { authorization: `Bearer ${products[0]?.live_key}` },
  });
  return { status: response.status, body: await response.json() };
}

test.after.always(async () => {
  for (const launcher of launchers) {
    launcher.kill('SIGTERM');
    await launcher.ended;
  }
  rmSync(dataDir, { recursive: true, force: true });
});

test.serial(
  'a stop half way through the first start leaves nothing that stops the next one',
  async (t) => {
    for (const step of [/^Gatehouse starts/m, /^(PostgreSQL|Temporal) is ready/m]) {
      const launcher = start();
      await launcher.waitFor(step);
      launcher.kill('SIGINT');
      t.is(await launcher.ended, 0);
      t.deepEqual(watchChildren(dataDir).names, []);
    }
  },
);

test.serial('an occupied port is named with the way out before anything starts', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const launcher = start({ PORT: String(port) });
  t.is(await launcher.ended, 1);
  t.regex(launcher.output(), new RegExp(`Port ${port} \\(PORT\\) is taken .* 0 for any free one`));
  t.notRegex(launcher.output(), /is ready/);
});

test.serial('a start leads to addresses that answer', async (t) => {
  const launcher = await startOnce();
  for (const name of ['Store', 'Docs', 'Temporal UI', 'Mailbox']) {
    const response = await fetch(launcher.address(name));
    t.is(response.status, 200, `${name} at ${launcher.address(name)}`);
  }
  const { email, password } = readDemo().people[0] ?? {};
  t.true(launcher.output().includes(`${email}`) && launcher.output().includes(`${password}`));
  t.regex(launcher.output(), /^ *Payment simulator +http:/m);
  t.regex(launcher.output(), /^ *4242 4242 4242 4242 +is paid at once$/m);
  t.regex(launcher.output(), /^What next: /m);
  t.notRegex(launcher.output(), /not delivered/);
  t.notRegex(readFileSync(join(dataDir, 'logs', 'simulator.log'), 'utf8'), /not delivered/);
  t.is(statSync(join(dataDir, 'demo.json')).mode & 0o777, 0o600);
  t.is((await askEntitlement()).status, 200);
  t.deepEqual(watchChildren(dataDir).names, EVERYTHING);
});

test.serial('a second start on the same data is refused, and the first goes on', async (t) => {
  const first = await startOnce();
  const second = start();
  t.is(await second.ended, 1);
  t.regex(second.output(), new RegExp(`already runs on .* \\(process ${first.pid}\\)`));
  t.is((await askEntitlement()).status, 200);
});

for (const [name, title] of [
  ['worker', 'The worker'],
  ['api', 'The api'],
  ['postgres', 'PostgreSQL'],
  ['temporal', 'Temporal'],
  ['simulator', 'The simulator'],
]) {
  test.serial(`${title} that dies is started again, and the others go on`, async (t) => {
    const launcher = await startOnce();
    const before = watchChildren(dataDir);
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'run', `${name}.json`), 'utf8'));
    process.kill(pid, 'SIGKILL');
    await launcher.waitFor(new RegExp(`^The ${name} process died \\(SIGKILL\\)`, 'm'));
    await launcher.waitFor(new RegExp(`^${title} is ready again`, 'm'));
    t.deepEqual(watchChildren(dataDir).names, EVERYTHING);
    t.is(before.findAlive().length, EVERYTHING.length - 1);
    t.is((await askEntitlement()).status, 200);
  });
}

test.serial(
  'a killed launcher leaves nothing that stops the next one, and the data stays',
  async (t) => {
    const first = await startOnce();
    const { people, products } = readDemo();
    const children = watchChildren(dataDir);
    first.kill('SIGKILL');
    await first.ended;
    running = undefined;
    await startOnce();
    t.deepEqual(children.findAlive(), []);
    t.deepEqual(readDemo().people, people);
    t.deepEqual(readDemo().products, products);
    t.is((await askEntitlement()).status, 200);
  },
);

test.serial('SIGTERM stops all of it', async (t) => {
  const launcher = await startOnce();
  const children = watchChildren(dataDir);
  t.deepEqual(children.names, EVERYTHING);
  launcher.kill('SIGTERM');
  t.is(await launcher.ended, 0);
  t.deepEqual(children.findAlive(), []);
});

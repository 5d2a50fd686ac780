import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readConfig, readHostEnvironment, type LocalSettings } from '../platform/config.ts';
import { COMPILE_CACHE } from '../scripts/compile-cache.ts';
import { loadSecrets } from './data/secrets.ts';
import { loadDemoData } from './demo/load.ts';
import { prepareDatabase, roleUrls } from './engines/postgres-roles.ts';
import { findTemporal } from './engines/temporal-binary.ts';
import {
  addressesFor,
  LOOPBACK_HOSTS,
  serviceEnvironment,
  wantedPorts,
  type Addresses,
} from './environment.ts';
import { startMailbox } from './mailbox.ts';
import { resolvePorts } from './ports.ts';
import { postgresUrl, startPostgres } from './postgres.ts';
import { untilReady, type Child, type Children } from './process/children.ts';
import { keepRunning } from './process/keep-running.ts';
import type { Launch } from './process/launch.ts';
import { startTemporal, useTemporal } from './temporal.ts';

export type Ground = Pick<Launch, 'output' | 'signal' | 'fail'> & {
  settings: LocalSettings;
  dataDir: string;
  children: Children;
};

export interface Stack {
  addresses: Addresses;
  people: { email: string; password: string; roles: string[] }[];
}

type Plan = Awaited<ReturnType<typeof makePlan>>;

const ROOT = dirname(import.meta.dirname);
const DATABASE = 'gatehouse';

/** Starts everything, from the engines to the demo data. */
export async function startStack(ground: Ground): Promise<Stack> {
  const plan = await makePlan(ground);
  await Promise.all([runDatabase(plan), runTemporal(plan), runMailbox(plan)]);
  // The demo data needs the simulator: its builders have accounts there.
  const [people] = await Promise.all([
    runSimulator(plan).then(() => loadPeople(plan)),
    runService(plan, 'api'),
    runService(plan, 'worker'),
  ]);
  return { addresses: plan.addresses, people };
}

async function makePlan(ground: Ground) {
  const { settings, dataDir } = ground;
  const ports = await resolvePorts(wantedPorts(settings));
  const secrets = loadSecrets(dataDir);
  const password = secrets.databasePassword;
  const databaseUrls = roleUrls({ port: ports.PG_PORT, secrets }, DATABASE);
  const superuserUrl = postgresUrl({ port: ports.PG_PORT, password }, DATABASE);
  const addresses = addressesFor(settings, ports, databaseUrls.appUrl);
  const environment = serviceEnvironment({ settings, ports, addresses, secrets });
  return { ...ground, ports, password, databaseUrls, superuserUrl, addresses, environment };
}

async function runDatabase(plan: Plan): Promise<void> {
  const { ports, databaseUrls, output } = plan;
  const options = { ...plan, port: ports.PG_PORT, isDurable: true };
  await keep(plan, 'PostgreSQL', async () => (await startPostgres(options)).child);
  const applied = await prepareDatabase(databaseUrls);
  output.say(
    applied.length > 0 ? `Migrations applied: ${applied.join(', ')}` : 'No new migrations',
  );
}

async function runTemporal(plan: Plan): Promise<void> {
  const { settings, dataDir, ports, output, signal } = plan;
  if (settings.TEMPORAL_ADDRESS) {
    await useTemporal(settings.TEMPORAL_ADDRESS, signal);
    output.say(`Temporal answers at ${settings.TEMPORAL_ADDRESS}`);
    return;
  }
  const environment = readHostEnvironment();
  const { say: announce, progress } = output;
  const binary = await findTemporal({ environment, signal, announce, progress });
  const folder = join(dataDir, 'temporal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const options = {
    ...plan,
    binary,
    port: ports.TEMPORAL_PORT,
    uiPort: ports.TEMPORAL_UI_PORT,
    databaseFile: join(folder, 'temporal.sqlite'),
    environment,
  };
  await keep(plan, 'Temporal', () => startTemporal(options));
}

async function runMailbox({ ports, output }: Plan): Promise<void> {
  const { MAIL_PORT: smtpPort, MAILBOX_PORT: pagePort } = ports;
  await startMailbox({ smtpPort, pagePort, hosts: LOOPBACK_HOSTS });
  output.say('The mailbox is ready');
}

function runSimulator(plan: Plan): Promise<void> {
  // Its tables are a schema of their own, which it makes itself.
  const environment = { ...plan.environment, DATABASE_URL: plan.superuserUrl };
  return runService({ ...plan, environment }, 'packages/simulator');
}

async function loadPeople(plan: Plan): Promise<Stack['people']> {
  const { dataDir, addresses, superuserUrl, environment, output } = plan;
  const { secretKeys, processor } = readConfig(environment);
  // What `demo.json` names is for whoever looks at the platform from outside: it may do everything.
  const urls = { ...addresses, databaseUrl: superuserUrl };
  const { people } = await loadDemoData({ ...urls, dataDir, secretKeys, processor });
  output.say('The demo data is there');
  return people;
}

/** One of our own processes, in its folder; it says itself when it is ready. */
function runService(plan: Plan, folder: 'api' | 'worker' | 'packages/simulator'): Promise<void> {
  const { children, signal } = plan;
  const name = basename(folder);
  const start = () => {
    const child = children.start({
      name,
      command: process.execPath,
      args: [join(ROOT, folder, 'main.ts')],
      env: { ...readHostEnvironment(), ...plan.environment, ...COMPILE_CACHE },
      cwd: ROOT,
      isService: true,
    });
    let isReady = false;
    child.process.once('message', () => (isReady = true));
    return untilReady(child, { isReady: () => isReady, signal });
  };
  return keep(plan, `The ${name}`, start);
}

/** Whatever dies is started again: nothing is lost with it. */
function keep(
  { signal, output, fail }: Plan,
  name: string,
  start: () => Promise<Child>,
): Promise<void> {
  return keepRunning({ name, start, signal, announce: output.say, onLost: fail });
}

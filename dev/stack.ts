import { mkdirSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { readConfig, readHostEnvironment, type LocalSettings } from '../platform/config.ts';
import { COMPILE_CACHE } from '../scripts/compile-cache.ts';
import { loadSecrets } from './data/secrets.ts';
import { loadDemoData, type DemoData } from './demo/load.ts';
import { approveMonths } from './demo/pool/approve-months.ts';
import { startReceiver } from './demo/receiver.ts';
import { pictureProducts } from './demo/store/picture-products.ts';
import {
  addressesFor,
  LOOPBACK_HOSTS,
  serviceEnvironment,
  wantedPorts,
  type Addresses,
} from './environment.ts';
import { startMailbox } from './mail/mailbox.ts';
import { resolvePorts } from './ports.ts';
import { prepareDatabase, roleUrls, startPostgres, urlFor } from './postgres.ts';
import { untilReady, type Children } from './process/children.ts';
import { keepRunning } from './process/keep-running.ts';
import type { Launch } from './process/launch.ts';
import { startTemporal, useTemporal } from './temporal.ts';

export type Ground = Pick<Launch, 'signal' | 'fail'> & {
  settings: LocalSettings;
  dataDir: string;
  children: Children;
};

export type Stack = { addresses: Addresses; people: DemoData['people'] };

type Plan = Awaited<ReturnType<typeof makePlan>>;

const ROOT = dirname(import.meta.dirname);
const DATABASE = 'gatehouse';

/** Starts everything, from the engines to the demo data. */
export async function startStack(ground: Ground): Promise<Stack> {
  const plan = await makePlan(ground);
  const { MAIL_PORT: smtpPort, MAILBOX_PORT: pagePort } = plan.ports;
  const mailbox = startMailbox({ smtpPort, pagePort, hosts: LOOPBACK_HOSTS });
  await Promise.all([runDatabase(plan), runTemporal(plan), mailbox]);
  // What this process has compiled, the services need not compile.
  flushCompileCache();
  // The demo data needs the simulator: its builders have accounts there.
  const [people] = await Promise.all([
    runSimulator(plan).then(() => loadPeople(plan)),
    runService(plan, 'api'),
    runService(plan, 'worker'),
  ]);
  // In the background: both take some seconds.
  void approvePastMonths(plan, people);
  void pictureProducts(plan.superuserUrl, plan.signal);
  return { addresses: plan.addresses, people };
}

async function makePlan(ground: Ground) {
  const { settings, dataDir } = ground;
  const ports = await resolvePorts(wantedPorts(settings));
  const secrets = loadSecrets(dataDir);
  const password = secrets.databasePassword;
  const databaseUrls = roleUrls({ port: ports.PG_PORT, secrets }, DATABASE);
  const superuserUrl = urlFor({ port: ports.PG_PORT, password }, DATABASE);
  const addresses = addressesFor(settings, ports);
  const shared = serviceEnvironment(settings, { ports, addresses, secrets });
  const environment = { ...shared, DATABASE_URL: databaseUrls.appUrl };
  return { ...ground, ports, password, databaseUrls, superuserUrl, addresses, environment };
}

async function runDatabase(plan: Plan): Promise<void> {
  const options = { ...plan, port: plan.ports.PG_PORT, isDurable: true };
  await keepRunning(plan, 'PostgreSQL', async () => (await startPostgres(options)).child);
  const applied = await prepareDatabase(plan.databaseUrls);
  console.log(`Migrations applied: ${applied.join(', ') || 'no new ones'}`);
}

async function runTemporal(plan: Plan): Promise<void> {
  const { settings, dataDir, ports, signal } = plan;
  if (settings.TEMPORAL_ADDRESS) {
    await useTemporal(settings.TEMPORAL_ADDRESS, signal);
    console.log(`Temporal answers at ${settings.TEMPORAL_ADDRESS}`);
    return;
  }
  const folder = join(dataDir, 'temporal');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const databaseFile = join(folder, 'temporal.sqlite');
  const [port, uiPort] = [ports.TEMPORAL_PORT, ports.TEMPORAL_UI_PORT];
  await keepRunning(plan, 'Temporal', () => startTemporal({ ...plan, port, uiPort, databaseFile }));
}

function runSimulator(plan: Plan): Promise<void> {
  // Its tables are a schema of their own, which it makes itself.
  const environment = { ...plan.environment, DATABASE_URL: plan.superuserUrl };
  return runService({ ...plan, environment }, 'packages/simulator');
}

function approvePastMonths(plan: Plan, people: Stack['people']): Promise<void> {
  const { addresses, superuserUrl: databaseUrl, signal } = plan;
  const { id: operatorId } = people.find(({ roles }) => roles.includes('operator'))!;
  const { temporalAddress } = addresses;
  return approveMonths({ databaseUrl, temporalAddress, operatorId, signal });
}

async function loadPeople(plan: Plan): Promise<Stack['people']> {
  const { dataDir, addresses, superuserUrl, environment } = plan;
  const { secretKeys, processor } = readConfig(environment);
  // `demo.json` is for a look at the platform from outside: its address of the database may do everything.
  const urls = { ...addresses, databaseUrl: superuserUrl };
  const { people, products } = await loadDemoData({ ...urls, dataDir, secretKeys, processor });
  console.log('The demo data is there');
  const endpoints = products.flatMap((product) => product.endpoints);
  // A purchase by hand shows deliveries that arrive.
  if (!(await startReceiver(endpoints))) {
    console.log(`No webhooks of the demo are received: another program has ${endpoints[0]!.url}`);
  }
  return people;
}

/** One of our own processes, in its folder; it says itself when it is ready. */
function runService(plan: Plan, folder: 'api' | 'worker' | 'packages/simulator'): Promise<void> {
  const { children, signal, environment } = plan;
  const name = basename(folder);
  return keepRunning(plan, `The ${name}`, () => {
    const child = children.start({
      name,
      command: process.execPath,
      args: [join(ROOT, folder, 'main.ts')],
      env: { ...readHostEnvironment(), ...environment, ...COMPILE_CACHE },
      cwd: ROOT,
      isService: true,
    });
    let isReady = false;
    child.process.once('message', () => (isReady = true));
    return untilReady(child, { isReady: () => isReady, signal });
  });
}

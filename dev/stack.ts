import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RoleUrls } from '../scripts/roles.ts';
import { readConfig, readHostEnvironment } from '../platform/config.ts';
import type { LocalSettings } from '../platform/config.ts';
import type { Child, Children } from './process/children.ts';
import type { Launch } from './process/launch.ts';
import { loadDemoData } from './demo/load.ts';
import { keepRunning } from './process/keep-running.ts';
import { prepareDatabase, roleUrls } from './engines/postgres-roles.ts';
import { findTemporal } from './engines/temporal-binary.ts';
import { addressesFor, LOOPBACK_HOSTS, serviceEnvironment, wantedPorts } from './environment.ts';
import type { Addresses, Port } from './environment.ts';
import { startMailbox } from './mailbox.ts';
import { resolvePorts } from './ports.ts';
import { postgresUrl, startPostgres } from './postgres.ts';
import { loadSecrets } from './data/secrets.ts';
import type { LocalSecrets } from './data/secrets.ts';
import { startService } from './services.ts';
import { startSimulator } from '../packages/simulator/main.ts';
import { startTemporal, useTemporal } from './temporal.ts';
import { isSettledWithin } from './process/wait.ts';
import { together } from './process/together.ts';

export type Ground = Pick<Launch, 'output' | 'shutdown' | 'fail'> & {
  settings: LocalSettings;
  dataDir: string;
  children: Children;
};

export interface Stack {
  addresses: Addresses;
  people: { email: string; password: string; roles: string[] }[];
}

type Plan = Ground & {
  ports: Record<Port, number>;
  secrets: LocalSecrets;
  databaseUrls: RoleUrls;
  superuserUrl: string;
  addresses: Addresses;
};

const DATABASE = 'gatehouse';
// With the engines' own they stay within 20 s.
const API_GRACE_MS = 3_000;
const WORKER_GRACE_MS = 9_000;
const OUTSIDE_GRACE_MS = 2_000;
// What is stopped first; equal ones together.
const RANKS = { api: 0, worker: 1, outside: 2, engine: 3 };

/** Starts everything, from the engines to the demo data. */
export async function startStack(ground: Ground): Promise<Stack> {
  const { settings, dataDir, fail } = ground;
  const ports = await resolvePorts(wantedPorts(settings));
  const secrets = loadSecrets(dataDir);
  const databaseUrls = roleUrls({ port: ports.PG_PORT, secrets }, DATABASE);
  const addresses = addressesFor(settings, ports, databaseUrls.appUrl);
  const where = { port: ports.PG_PORT, password: secrets.databasePassword };
  const superuserUrl = postgresUrl(where, DATABASE);
  const plan = { ...ground, ports, secrets, databaseUrls, superuserUrl, addresses };
  await together(fail, [runPostgres(plan), prepareTemporal(plan), runMailbox(plan)]);
  await runSimulator(plan);
  const [people] = await together(fail, [loadPeople(plan), runApi(plan), runWorker(plan)]);
  return { addresses: plan.addresses, people };
}

async function runPostgres(plan: Plan): Promise<void> {
  const { dataDir, ports, secrets, children, shutdown, output } = plan;
  const start = async () => {
    const { child } = await startPostgres({
      dataDir,
      port: ports.PG_PORT,
      password: secrets.databasePassword,
      isDurable: true,
      children,
      signal: shutdown.signal,
    });
    return child;
  };
  await keep(plan, { name: 'PostgreSQL', rank: RANKS.engine, start });
  const applied = await prepareDatabase(plan.databaseUrls);
  output.say(
    applied.length > 0 ? `Migrations applied: ${applied.join(', ')}` : 'No new migrations',
  );
}

async function prepareTemporal(plan: Plan): Promise<void> {
  const { settings, dataDir, ports, children, shutdown, output } = plan;
  const { signal } = shutdown;
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
  const start = () =>
    startTemporal({
      binary,
      port: ports.TEMPORAL_PORT,
      uiPort: ports.TEMPORAL_UI_PORT,
      databaseFile: join(folder, 'temporal.sqlite'),
      children,
      environment,
      signal,
    });
  await keep(plan, { name: 'Temporal', rank: RANKS.engine, start });
}

async function runMailbox({ ports, shutdown, output }: Plan): Promise<void> {
  const mailbox = await startMailbox({
    smtpPort: ports.MAIL_PORT,
    pagePort: ports.MAILBOX_PORT,
    hosts: LOOPBACK_HOSTS,
  });
  shutdown.add(RANKS.outside, () => isSettledWithin(mailbox.stop(), OUTSIDE_GRACE_MS));
  output.say('The mailbox is ready');
}

async function runSimulator({
  ports,
  secrets,
  superuserUrl,
  addresses,
  shutdown,
  output,
}: Plan): Promise<void> {
  const simulator = await startSimulator({
    databaseUrl: superuserUrl,
    port: ports.SIMULATOR_PORT,
    hosts: LOOPBACK_HOSTS,
    url: addresses.simulatorUrl,
    secretKey: secrets.simulatorSecretKey,
    webhookSecret: secrets.simulatorWebhookSecret,
    webhookUrl: `${addresses.baseUrl}/api/processor/events`,
    log: { format: 'pretty', level: 'warn' },
  });
  shutdown.add(RANKS.outside, () => isSettledWithin(simulator.stop(), OUTSIDE_GRACE_MS));
  output.say('The payment simulator is ready');
}

async function loadPeople({ dataDir, addresses, output, ...plan }: Plan): Promise<Stack['people']> {
  const { secretKeys, processor } = readConfig(serviceEnvironment({ addresses, ...plan }));
  // What `demo.json` names is for whoever looks at the platform from outside: it may do everything.
  const urls = { ...addresses, databaseUrl: plan.superuserUrl };
  const { people } = await loadDemoData({ ...urls, dataDir, secretKeys, processor });
  output.say('The demo data is there');
  return people;
}

function runApi(plan: Plan): Promise<void> {
  return runService(plan, { name: 'api', main: 'api/main.ts', graceMs: API_GRACE_MS });
}

function runWorker(plan: Plan): Promise<void> {
  return runService(plan, {
    name: 'worker',
    main: 'worker/main.ts',
    graceMs: WORKER_GRACE_MS,
  });
}

function runService(
  plan: Plan,
  service: { name: 'api' | 'worker'; main: string; graceMs: number },
): Promise<void> {
  const { children, shutdown } = plan;
  const environment = { ...readHostEnvironment(), ...serviceEnvironment(plan) };
  const start = () => startService({ ...service, environment, children, signal: shutdown.signal });
  return keep(plan, { name: `The ${service.name}`, rank: RANKS[service.name], start });
}

/** Whatever dies is started again: nothing is lost with it. */
async function keep(
  { shutdown, output, fail }: Plan,
  { rank, ...part }: { name: string; rank: number; start: () => Promise<Child> },
): Promise<void> {
  const { signal } = shutdown;
  const kept = await keepRunning({ ...part, signal, announce: output.say, onLost: fail });
  shutdown.add(rank, () => kept.stop());
  output.say(`${part.name} is ready`);
}

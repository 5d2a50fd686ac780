import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import {
  ConfigurationError,
  readConfig,
  readMigrationConfig,
  readRolesConfig,
  readSimulatorConfig,
  readTemporalUiConfig,
} from '../platform/config.ts';
import { SEARCH_ATTRIBUTES } from '../domain/shared/search-attributes.ts';
import { composeEnvironment, writeComposeEnvironment } from '../scripts/compose-env.ts';
import { pinImages } from '../scripts/compose-pin.ts';
import {
  environmentOf,
  interpolate,
  readComposeFile,
  readText,
  root,
} from './support/repository/compose.ts';
import type { Service } from './support/repository/compose.ts';

const EXACT_TAG = /^[\w./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)*(@sha256:[0-9a-f]{64})?$/;
const SECRET_NAME = /PASSWORD|PWD|SECRET|KEY/;

const file = readComposeFile();
const text = readText('docker-compose.yml');
const services = Object.entries(file.services);
const generated = parseEnv(composeEnvironment());
const service = (name: string): Service => file.services[name]!;
const processor = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' };

test('the compose file follows the compose specification', (t) => {
  const schema = JSON.parse(readText('test/support/repository/compose-spec.json')) as object;
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  t.true(validate(file), JSON.stringify(validate.errors, null, 2));
  t.false(validate({ services: { api: { port: [] } } }), 'the schema refuses unknown settings');
});

test('every image has an exact tag', (t) => {
  for (const [name, { image }] of services) t.regex(image, EXACT_TAG, name);
  const bases = [...readText('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!);
  for (const image of bases) t.regex(image, EXACT_TAG);
  const { version, devDependencies } = JSON.parse(readText('package.json')) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  t.is(service('api').image, `gatehouse:${version}`);
  t.is(service('simulator').image, `gatehouse-trial:${version}`);
  for (const image of bases) t.is(image, `node:${devDependencies['node']}-bookworm-slim`);
});

test('compose:pin puts a digest behind each tag, anew each time, and invents none', (t) => {
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
  const asked: string[] = [];
  const pinned = pinImages(text, (image) => {
    asked.push(image);
    return `${digest('a')}\n`;
  });
  const others = services
    .map(([, { image }]) => image)
    .filter((image) => !/^gatehouse(-trial)?:/.test(image));
  const tags = new Set(others.map((image) => image.split('@')[0]!));
  t.deepEqual([...new Set(asked)].toSorted(), [...tags].toSorted());
  t.regex(pinned, /^ {4}image: postgres:[\w.-]+@sha256:a{64}$/m);
  t.regex(pinned, /^ {2}image: gatehouse:[\d.]+$/m);
  t.is(
    pinImages(pinned, () => digest('b')),
    pinned.replaceAll(digest('a'), digest('b')),
  );
  for (const answer of ['', 'latest', 'sha256:abc']) {
    t.throws(() => pinImages(text, () => answer), { message: /no digest of/ });
  }
});

test('only what needs a network is in it', (t) => {
  const members = (network: string) =>
    services.filter(([, { networks = [] }]) => networks.includes(network)).map(([name]) => name);
  t.deepEqual(Object.keys(file.networks).toSorted(), [
    'console',
    'database',
    'outside',
    'pages',
    'workflows',
  ]);
  for (const [name, { networks = [], ports = [] }] of services) {
    t.not(networks.length, 0, name);
    const isOut = networks.some((network) => file.networks[network]?.internal !== true);
    if (ports.length > 0) t.true(isOut, `${name} publishes a port`);
  }
  for (const name of ['database', 'pages', 'workflows'])
    t.true(file.networks[name]?.internal, name);
  t.deepEqual(service('postgres').networks, ['database']);
  t.false(members('database').includes('temporal-ui'));
  t.false(members('outside').includes('temporal'));
});

test('Temporal’s pages are reached through the check of their name alone', async (t) => {
  t.is(service('temporal-ui').ports, undefined);
  t.deepEqual(service('temporal-ui').networks, ['workflows', 'pages']);
  const proxy = service('temporal-ui-proxy');
  t.deepEqual(proxy.networks, ['pages', 'console']);
  t.is(readTemporalUiConfig(environmentOf(proxy, {})).name, 'localhost');
  const given = { TEMPORAL_UI_URL: 'https://temporal.example.com' };
  t.deepEqual(readTemporalUiConfig(environmentOf(proxy, given)), {
    target: 'http://temporal-ui:8080',
    name: 'temporal.example.com',
  });
});

test('every service drops what its process may do beyond its work', (t) => {
  for (const [name, { cap_drop: dropped, security_opt: options }] of services) {
    t.deepEqual(dropped, ['ALL'], name);
    t.deepEqual(options, ['no-new-privileges:true'], name);
  }
});

test('no secret is written in the compose file', (t) => {
  for (const [name, { environment = {} }] of services) {
    for (const [variable, value] of Object.entries(environment)) {
      const where = `${name} ${variable}`;
      if (SECRET_NAME.test(variable)) t.regex(value, /^\$\{[A-Z_]+:(-|\?[^${}]+)\}$/, where);
      const password = /:\/\/[^:/@]*:(.*)@/.exec(value)?.[1];
      if (password) t.regex(password, /^\$\{[A-Z_]+:\?[^${}]+\}$/, where);
    }
  }
});

test('compose:env writes every value the compose file insists on, afresh each time', (t) => {
  const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!));
  t.true(required.size >= 6);
  const again = parseEnv(composeEnvironment());
  for (const name of required) {
    t.truthy(generated[name], name);
    if (SECRET_NAME.test(name)) t.not(generated[name], again[name], name);
  }
});

test('compose:env writes a file for its owner alone and never overwrites one', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-compose-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, '.env');
  t.true(writeComposeEnvironment(path));
  t.is(statSync(path).mode & 0o777, 0o600);
  const first = readFileSync(path, 'utf8');
  t.false(writeComposeEnvironment(path));
  t.is(readFileSync(path, 'utf8'), first);
  t.true(readText('.gitignore').split('\n').includes('.env'));
  t.true(readText('.dockerignore').split('\n').includes('.*'), 'no image carries it');
});

test('ports are published on the loopback address only', (t) => {
  for (const [name, { ports = [] }] of services) {
    for (const port of ports) t.regex(interpolate(port, {}), /^127\.0\.0\.1:\d+:\d+$/, name);
  }
});

test('what a service waits for can come true', (t) => {
  for (const [name, { depends_on: needs = {} }] of services) {
    for (const [needed, { condition }] of Object.entries(needs)) {
      const { healthcheck, restart } = file.services[needed] ?? {};
      if (condition === 'service_started') continue;
      if (condition === 'service_healthy') t.truthy(healthcheck, `${name} on ${needed}`);
      else t.deepEqual([condition, restart], ['service_completed_successfully', 'no'], needed);
    }
  }
});

test('every file and volume that a service names exists', (t) => {
  for (const [name, { command = [], volumes = [] }] of services) {
    for (const path of command.filter((word) => word.endsWith('.ts'))) {
      t.true(existsSync(root(path)), `${name}: ${path}`);
    }
    for (const path of command.filter((word) => word.startsWith('/setup/'))) {
      t.true(existsSync(root(path.replace('/setup/', 'scripts/compose/'))), `${name}: ${path}`);
    }
    for (const source of volumes.map((volume) => volume.split(':')[0]!)) {
      const isThere = source.startsWith('./') ? existsSync(root(source)) : source in file.volumes;
      t.true(isThere, `${name}: ${source}`);
    }
  }
});

test('api and worker refuse to start until mail and a processor are set', (t) => {
  for (const name of ['api', 'worker']) {
    const error = t.throws(() => readConfig(environmentOf(service(name), generated)), {
      instanceOf: ConfigurationError,
    });
    const { message } = error!;
    t.regex(message, /SMTP_URL: required/);
    t.regex(message, /STRIPE_SECRET_KEY: a payment processor is required/);
    t.is(message.match(/^ {2}- /gm)?.length, 2, message);
  }
});

test('api and worker start with a generated .env, mail and Stripe', (t) => {
  const given = { ...generated, ...processor, SMTP_URL: 'smtps://mail.example.com' };
  for (const name of ['api', 'worker']) {
    const config = readConfig(environmentOf(service(name), given));
    t.is(config.processor.kind, 'stripe');
    t.is(config.smtpUrl, 'smtps://mail.example.com');
    t.is(config.port, 3000, 'the port that compose publishes and checks');
    t.is(config.databaseUrl.split('@')[1], 'postgres:5432/gatehouse');
  }
});

test('api and worker connect as the role that roles makes, migrate as the owner', (t) => {
  const given = { ...generated, ALLOW_SIMULATOR: 'true' };
  const { adminUrl, ownerUrl, appUrl } = readRolesConfig(environmentOf(service('roles'), given));
  t.is(new URL(adminUrl).username, 'postgres');
  t.is(readMigrationConfig(environmentOf(service('migrate'), given)).databaseUrl, ownerUrl);
  for (const name of ['api', 'worker']) {
    const environment = environmentOf(service(name), given);
    t.is(readConfig(environment).databaseUrl, appUrl);
    const { password } = new URL(ownerUrl);
    t.false(
      Object.values(environment).some((value) => value.includes(password)),
      name,
    );
    t.deepEqual(service(name).depends_on?.['roles'], {
      condition: 'service_completed_successfully',
    });
  }
  t.not(new URL(appUrl).username, new URL(ownerUrl).username);
  t.regex(
    readText('scripts/compose/postgres-roles.sql'),
    /create database gatehouse owner gatehouse;/,
  );
});

test('a trial’s simulator connects as a role of its own, which production does not have', (t) => {
  const given = { ...generated, ALLOW_SIMULATOR: 'true' };
  const { ownerUrl, appUrl, simulatorUrl } = readRolesConfig(
    environmentOf(service('roles'), given),
  );
  t.is(readSimulatorConfig(environmentOf(service('simulator'), given)).DATABASE_URL, simulatorUrl!);
  const { username, password } = new URL(simulatorUrl!);
  for (const other of [ownerUrl, appUrl]) {
    t.not(username, new URL(other).username);
    t.not(password, new URL(other).password);
    const ofSimulator = Object.values(environmentOf(service('simulator'), given));
    t.false(ofSimulator.some((value) => value.includes(new URL(other).password)));
  }
  t.deepEqual(service('simulator').depends_on?.['roles'], {
    condition: 'service_completed_successfully',
  });
  t.is(readRolesConfig(environmentOf(service('roles'), generated)).simulatorUrl, undefined);
});

test('a trial needs nothing but ALLOW_SIMULATOR=true', (t) => {
  const given = { ...generated, ALLOW_SIMULATOR: 'true' };
  const config = readConfig(environmentOf(service('api'), given));
  const simulator = readSimulatorConfig(environmentOf(service('simulator'), given));
  t.is(config.smtpUrl, 'smtp://mailbox:1025?ignoreTLS=true');
  t.is(config.processor.kind, 'simulator');
  t.is(config.processor.secretKey, simulator.SIMULATOR_SECRET_KEY);
  t.is(config.processor.webhookSecret, simulator.SIMULATOR_WEBHOOK_SECRET);
  t.is(config.processor.apiUrl, `http://simulator:${simulator.SIMULATOR_PORT}`);
  t.notThrows(() => readMigrationConfig(environmentOf(service('migrate'), given)));
});

test('the cluster gets the namespace and the search attributes that the code uses', (t) => {
  const script = readText('scripts/compose/temporal-setup.sh');
  const made = [...script.matchAll(/--name (\w+) --type (\w+)/g)].map(([, name, type]) => [
    name!,
    type!,
  ]);
  t.deepEqual(Object.fromEntries(made), SEARCH_ATTRIBUTES);
  const config = readConfig(
    environmentOf(service('api'), { ...generated, ALLOW_SIMULATOR: 'true' }),
  );
  t.is(service('temporal-setup').environment?.['TEMPORAL_NAMESPACE'], config.temporal.namespace);
});

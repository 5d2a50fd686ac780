import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  ConfigurationError,
  readConfig,
  readHostEnvironment,
  readLocalSettings,
  readRolesConfig,
  readTemporalSettings,
} from '../../platform/config.ts';
import { makeFolder } from '../support/engines/folder.ts';

const complete = {
  DATABASE_URL: 'postgres://app:pw@db:5432/gatehouse',
  TEMPORAL_ADDRESS: 'temporal:7233',
  BASE_URL: 'https://gatehouse.example/',
  SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  SMTP_URL: 'smtp://mail:25',
  STRIPE_SECRET_KEY: 'sk_live_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
};

test('production refuses to start without what it needs, every problem in one message', (t) => {
  const error = t.throws(() => readConfig({ PORT: 'ninety' }), { instanceOf: ConfigurationError });
  for (const name of [
    'DATABASE_URL: required',
    'TEMPORAL_ADDRESS: required',
    'BASE_URL: required',
    'SECRET_KEYS: required',
    'SMTP_URL: required',
    'STRIPE_SECRET_KEY: a payment processor is required',
    'PORT: ',
  ]) {
    t.true(error.message.includes(name), name);
  }
});

test('a complete configuration is read', (t) => {
  const config = readConfig(complete);
  t.is(config.baseUrl, 'https://gatehouse.example');
  t.is(config.processor.kind, 'stripe');
  t.deepEqual(config.webhooks.allowedNetworks, []);
});

test('workers have a version only with the name of a deployment, and a build id by setting', (t) => {
  const deploymentOf = (given: Record<string, string>) =>
    readConfig({ ...complete, ...given }).deployment;
  t.is(deploymentOf({}), null);
  t.is(deploymentOf({ TEMPORAL_WORKER_BUILD_ID: 'v1' }), null);
  t.deepEqual(deploymentOf({ TEMPORAL_DEPLOYMENT_NAME: 'gatehouse' }), { name: 'gatehouse' });
  const named = { TEMPORAL_DEPLOYMENT_NAME: 'gatehouse', TEMPORAL_WORKER_BUILD_ID: 'v1.2' };
  t.deepEqual(deploymentOf(named), { name: 'gatehouse', buildId: 'v1.2' });
  // Temporal writes both in one word, with a point or a colon between them.
  for (const name of ['gate.house', 'gate:house', 'gate house']) {
    t.throws(() => deploymentOf({ TEMPORAL_DEPLOYMENT_NAME: name }), {
      message: /TEMPORAL_DEPLOYMENT_NAME: expected up to 100 letters/,
    });
  }
  t.throws(() => deploymentOf({ ...named, TEMPORAL_WORKER_BUILD_ID: 'v1:2' }), {
    message: /TEMPORAL_WORKER_BUILD_ID: expected/,
  });
});

test('a command that only asks Temporal needs no other setting', (t) => {
  t.like(readTemporalSettings({}), {
    address: undefined,
    namespace: 'default',
    taskQueuePrefix: '',
    tls: undefined,
    dataDir: '.gatehouse',
  });
  const secured = readTemporalSettings({ TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_API_KEY: 'k' });
  t.like(secured, { address: 'cloud:7233', apiKey: 'k', tls: {} });
  t.throws(() => readTemporalSettings({ TEMPORAL_TLS_CERT: 'x' }), {
    instanceOf: ConfigurationError,
  });
});

test('the log has the levels of pino', (t) => {
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const) {
    t.is(readConfig({ ...complete, LOG_LEVEL: level }).log.level, level);
  }
  t.throws(() => readConfig({ ...complete, LOG_LEVEL: 'loud' as never }), {
    message: /LOG_LEVEL: /,
  });
});

test('a worker has all roles unless it is set up for some, and no unknown one', (t) => {
  const rolesOf = (roles?: string) =>
    readConfig({ ...complete, ...(roles !== undefined && { WORKER_ROLES: roles }) }).workerRoles;
  t.deepEqual(rolesOf(), ['dispatch', 'money', 'access', 'deliveries', 'upkeep']);
  t.deepEqual(rolesOf('money, access'), ['money', 'access']);
  for (const unknown of ['money,sales', ',']) {
    t.throws(() => rolesOf(unknown), {
      instanceOf: ConfigurationError,
      message: /- WORKER_ROLES: expected one or more of dispatch, money, access/,
    });
  }
});

test('the simulator is used only where it is allowed', (t) => {
  const { STRIPE_SECRET_KEY: _key, STRIPE_WEBHOOK_SECRET: _secret, ...rest } = complete;
  const simulator = {
    SIMULATOR_URL: 'http://localhost:3100',
    SIMULATOR_SECRET_KEY: 'sk_test_x',
    SIMULATOR_WEBHOOK_SECRET: 'whsec_x',
  };
  t.throws(() => readConfig({ ...rest, ...simulator }), { message: /ALLOW_SIMULATOR=true/ });
  t.throws(() => readConfig({ ...rest, ALLOW_SIMULATOR: 'true' }), { message: /SIMULATOR_URL/ });
  t.is(readConfig({ ...rest, ...simulator, ALLOW_SIMULATOR: 'true' }).processor.kind, 'simulator');
});

test('operators need a passkey, but on the own machine', (t) => {
  const optional = { ...complete, OPERATOR_PASSKEY: 'optional' };
  t.true(readConfig(complete).isOperatorPasskeyRequired);
  const refused = { message: /OPERATOR_PASSKEY: optional only where BASE_URL/ };
  for (const url of ['https://gatehouse.example', 'https://localhost.example']) {
    t.throws(() => readConfig({ ...optional, BASE_URL: url }), refused);
  }
  t.false(readConfig({ ...optional, BASE_URL: 'http://localhost:3000' }).isOperatorPasskeyRequired);
});

test('a secret may come from a file', (t) => {
  const file = join(makeFolder(t), 'url');
  writeFileSync(file, `${complete.DATABASE_URL}\n`);
  const { DATABASE_URL: url, ...rest } = complete;
  t.is(readConfig({ ...rest, DATABASE_URL_FILE: file }).databaseUrl, url);
  t.throws(() => readConfig({ ...rest, DATABASE_URL_FILE: `${file}-missing` }), {
    message: /DATABASE_URL_FILE: cannot be read \(ENOENT\)/,
  });
});

test('no value of a secret appears in a message', (t) => {
  const secret = 'k1:c2hvcnQ=';
  const error = t.throws(() => readConfig({ ...complete, SECRET_KEYS: secret }));
  t.false(error.message.includes('c2hvcnQ'));
});

test('roles take their names and passwords from addresses that have them', (t) => {
  const DATABASE_URL = 'postgres://owner:first@db/gatehouse';
  const given = {
    ADMIN_DATABASE_URL: 'postgres://postgres@db/postgres',
    DATABASE_URL,
    APP_DATABASE_URL: 'postgres://app:second@db/gatehouse',
  };
  t.is(readRolesConfig(given).ownerUrl, DATABASE_URL);
  for (const url of [
    'postgres://app@db/gatehouse',
    'postgres://app:second@db',
    'postgres://app:%C3%A9@db/gatehouse',
  ]) {
    const error = t.throws(() => readRolesConfig({ ...given, APP_DATABASE_URL: url }));
    t.regex(error!.message, /APP_DATABASE_URL: expected postgres:\/\/role:password@/);
    t.notRegex(error!.message, /second|%C3/);
  }
  t.deepEqual(Object.keys(readHostEnvironment({ PATH: '/bin', ...given })), ['PATH']);
});

test('local ports come from the environment, 0 means any free port', (t) => {
  t.is(readLocalSettings({}).PORT, 3000);
  t.is(readLocalSettings({ PORT: '0' }).PORT, 0);
  t.throws(() => readLocalSettings({ PORT: '70000', PG_PORT: '-1' }), {
    message: /PORT[\s\S]*PG_PORT/,
  });
});

for (const [url, isTaken] of [
  ['https://gatehouse.example', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://gatehouse.example', false],
  ['http://192.168.1.10:3000', false],
  ['http://localhost.example.com', false],
] as const) {
  test(`a base address of ${url} is ${isTaken ? 'taken' : 'refused'}`, (t) => {
    const read = () => readConfig({ ...complete, BASE_URL: url });
    if (isTaken) t.is(read().baseUrl, url);
    else t.throws(read, { message: /BASE_URL: https is required/ });
  });
}

test('metrics are served on the machine itself unless another address is set', (t) => {
  t.deepEqual(readConfig(complete).metricsHosts, ['127.0.0.1']);
  const config = readConfig({ ...complete, METRICS_HOST: '10.0.0.5' });
  t.deepEqual([config.metricsHosts, config.listenHosts], [['10.0.0.5'], ['0.0.0.0']]);
});

const PEM = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
const own = { TEMPORAL_TLS_CERT: PEM, TEMPORAL_TLS_KEY: PEM };
const ownPair = { crt: Buffer.from(PEM), key: Buffer.from(PEM) };

for (const [given, tls] of [
  [{}, undefined],
  [{ TEMPORAL_TLS: 'false' }, undefined],
  [{ TEMPORAL_TLS: 'true' }, {}],
  [{ TEMPORAL_API_KEY: 'a-key' }, {}],
  [{ TEMPORAL_TLS_CA: PEM }, { serverRootCACertificate: Buffer.from(PEM) }],
  [own, { clientCertPair: ownPair }],
  [
    { TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'temporal.internal' },
    { serverNameOverride: 'temporal.internal' },
  ],
] as const) {
  test(`Temporal is reached ${tls ? 'by TLS' : 'without TLS'} with these set: ${
    Object.entries(given)
      .map(([name, value]) => `${name}=${value.slice(0, 10)}`)
      .join(', ') || 'none'
  }`, (t) => {
    t.deepEqual(readConfig({ ...complete, ...given }).temporal.tls, tls);
  });
}

for (const [given, message] of [
  [{ TEMPORAL_TLS_CERT: PEM }, /one needs the other/],
  [{ TEMPORAL_TLS_KEY: PEM }, /one needs the other/],
  [{ TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'a-key' }, /TEMPORAL_API_KEY: needs TEMPORAL_TLS/],
  [{ TEMPORAL_TLS: 'false', ...own }, /TEMPORAL_TLS_CERT: needs TEMPORAL_TLS/],
  [{ TEMPORAL_TLS_CA: '/etc/ca.pem' }, /TEMPORAL_TLS_CA: expected PEM/],
] as const) {
  test(`${Object.keys(given).join(', ')} without what it needs: refused`, (t) => {
    t.throws(() => readConfig({ ...complete, ...given }), { message });
  });
}

// The only reader of process.env. Every setting may also come from a file named in <NAME>_FILE.
import { z } from 'zod';
import { ConfigurationError, parse, type Environment } from './settings/parse-settings.ts';
import {
  localSettings,
  port,
  roleSettings,
  secretKeys,
  settings,
  simulatorSettings,
} from './settings/setting-shapes.ts';
import { readTemporalTls, temporalTlsProblems, temporalTlsSettings } from './temporal-tls.ts';
import { isLoopbackHost } from '../domain/shared/loopback.ts';

export type Config = ReturnType<typeof readConfig>;
export type LocalSettings = z.infer<typeof localSettings>;

export { ConfigurationError };
export type { WorkerRole } from './settings/setting-shapes.ts';

/** Settings of `api` and `worker`. Throws one ConfigurationError that names every problem. */
export function readConfig(environment: Environment = process.env) {
  const values = parse(settings, environment, findProblems);
  const { hostname } = new URL(values.BASE_URL);
  return {
    databaseUrl: values.DATABASE_URL,
    listenDatabaseUrl: values.LISTEN_DATABASE_URL ?? values.DATABASE_URL,
    temporal: toTemporal(values),
    deployment: toDeployment(values),
    workerRoles: values.WORKER_ROLES,
    workflowStartsPerS: values.WORKFLOW_STARTS_PER_SECOND,
    baseUrl: values.BASE_URL,
    port: values.PORT,
    listenHosts: values.LISTEN_HOSTS,
    metricsHosts: values.METRICS_HOST,
    metricsPort: values.METRICS_PORT,
    secretKeys: values.SECRET_KEYS,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Gatehouse <no-reply@${hostname}>`,
    supportEmail: values.SUPPORT_EMAIL ?? `support@${hostname}`,
    verificationTime: values.VERIFICATION_TIME,
    processor: values.STRIPE_SECRET_KEY
      ? {
          kind: 'stripe' as const,
          secretKey: values.STRIPE_SECRET_KEY,
          webhookSecret: values.STRIPE_WEBHOOK_SECRET ?? '',
          apiUrl: 'https://api.stripe.com',
        }
      : {
          kind: 'simulator' as const,
          secretKey: values.SIMULATOR_SECRET_KEY ?? '',
          webhookSecret: values.SIMULATOR_WEBHOOK_SECRET ?? '',
          apiUrl: values.SIMULATOR_URL ?? '',
        },
    webhooks: {
      allowedNetworks: values.ALLOWED_NETWORKS,
      isHttpAllowed: values.ALLOW_HTTP_ENDPOINTS,
    },
    forges: {
      github: values.GITHUB_API_URL,
      gitlab: values.GITLAB_API_URL,
      codeberg: values.CODEBERG_API_URL,
    },
    isProxyTrusted: values.TRUST_PROXY,
    isRequestLogKept: values.REQUEST_LOG,
    isOperatorPasskeyRequired: values.OPERATOR_PASSKEY === 'required',
    log: { format: values.LOG_FORMAT, level: values.LOG_LEVEL },
  };
}

function toTemporal(values: z.infer<typeof settings>) {
  return {
    address: values.TEMPORAL_ADDRESS,
    namespace: values.TEMPORAL_NAMESPACE,
    taskQueuePrefix: values.TASK_QUEUE_PREFIX,
    uiUrl: values.TEMPORAL_UI_URL,
    tls: readTemporalTls(values),
    apiKey: values.TEMPORAL_API_KEY,
  };
}

/** Returns null without a name: the workers then have no versions. */
function toDeployment(values: z.infer<typeof settings>) {
  const { TEMPORAL_DEPLOYMENT_NAME: name, TEMPORAL_WORKER_BUILD_ID: buildId } = values;
  return name === undefined ? null : { name, ...(buildId !== undefined && { buildId }) };
}

/** Settings of `npm run migrate`. */
export function readMigrationConfig(environment: Environment = process.env) {
  return { databaseUrl: parse(settings.pick({ DATABASE_URL: true }), environment).DATABASE_URL };
}

/** Settings of `npm run migrate:roles`. */
export function readRolesConfig(environment: Environment = process.env) {
  const values = parse(roleSettings, environment);
  return {
    adminUrl: values.ADMIN_DATABASE_URL,
    ownerUrl: values.DATABASE_URL,
    appUrl: values.APP_DATABASE_URL,
    simulatorUrl: values.SIMULATOR_DATABASE_URL,
  };
}

/** Settings of the proxy before Temporal's pages: where they are, and their name for people. */
export function readTemporalUiConfig(environment: Environment = process.env) {
  const shape = z.object({ TEMPORAL_UI_UPSTREAM: z.url(), TEMPORAL_UI_URL: z.url() });
  const values = parse(shape, environment);
  return { target: values.TEMPORAL_UI_UPSTREAM, name: new URL(values.TEMPORAL_UI_URL).hostname };
}

/**
 * Settings of `npm run admin`; without a database, those that `npm start` left in its data folder.
 */
export function readAdminConfig(environment: Environment = process.env) {
  const { DATABASE_URL, BASE_URL, SECRET_KEYS } = settings.shape;
  const shape = z.object({
    DATABASE_URL: DATABASE_URL.optional(),
    BASE_URL: BASE_URL.optional(),
    SECRET_KEYS: SECRET_KEYS.optional(),
    GATEHOUSE_DATA_DIR: localSettings.shape.GATEHOUSE_DATA_DIR,
  });
  return parse(shape, environment);
}

/** Settings of `npm run replay` and `npm run temporal`; the data folder of `npm start` has an address too. */
export function readTemporalSettings(environment: Environment = process.env) {
  const shape = settings.pick({ TEMPORAL_NAMESPACE: true, TASK_QUEUE_PREFIX: true }).extend({
    ...temporalTlsSettings,
    TEMPORAL_ADDRESS: settings.shape.TEMPORAL_ADDRESS.optional(),
    GATEHOUSE_DATA_DIR: localSettings.shape.GATEHOUSE_DATA_DIR,
  });
  const values = parse(shape, environment, temporalTlsProblems);
  return {
    address: values.TEMPORAL_ADDRESS,
    namespace: values.TEMPORAL_NAMESPACE,
    taskQueuePrefix: values.TASK_QUEUE_PREFIX,
    tls: readTemporalTls(values),
    apiKey: values.TEMPORAL_API_KEY,
    dataDir: values.GATEHOUSE_DATA_DIR,
  };
}

/** The value of SECRET_KEYS, as the local data folder keeps it. */
export function readSecretKeys(text: string) {
  return secretKeys.parse(text);
}

/** Settings of the payment simulator when it runs as a process of its own. */
export function readSimulatorConfig(environment: Environment = process.env) {
  const shape = simulatorSettings.extend({
    BASE_URL: settings.shape.BASE_URL,
    SIMULATOR_PORT: port.default(3100),
    SIMULATOR_URL: z.url(),
    SIMULATOR_SECRET_KEY: z.string().startsWith('sk_'),
    SIMULATOR_WEBHOOK_SECRET: z.string().startsWith('whsec_'),
  });
  return parse(shape, environment);
}

/** Settings of `npm start`: ports (0 means any free one) and the data folder. */
export function readLocalSettings(environment: Environment = process.env): LocalSettings {
  return parse(localSettings, environment);
}

/** The caller's environment for programs that we start, without our own settings. */
export function readHostEnvironment(
  environment: Environment = process.env,
): Record<string, string> {
  const own = Object.keys({ ...settings.shape, ...roleSettings.shape, ...localSettings.shape });
  const hidden = new Set(own.flatMap((name) => [name, `${name}_FILE`]));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || hidden.has(name) ? [] : [[name, value]],
    ),
  );
}

function findProblems(given: Environment): string[] {
  return [processorProblems, operatorProblems, temporalTlsProblems, baseUrlProblems].flatMap(
    (problemsOf) => problemsOf(given),
  );
}

/** Cookies are Secure unless the address is loopback: over http nobody could sign in. */
function baseUrlProblems({ BASE_URL: text = '' }: Environment): string[] {
  if (!URL.canParse(text)) return [];
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'http:' || isLoopbackHost(hostname)) return [];
  return ['BASE_URL: https is required; http works on a loopback address alone'];
}

function processorProblems(given: Environment): string[] {
  if (given['STRIPE_SECRET_KEY']) {
    return given['STRIPE_WEBHOOK_SECRET']
      ? []
      : ['STRIPE_WEBHOOK_SECRET: required with STRIPE_SECRET_KEY'];
  }
  if (given['ALLOW_SIMULATOR'] !== 'true') {
    return [
      'STRIPE_SECRET_KEY: a payment processor is required (or set ALLOW_SIMULATOR=true, and every page will say that payments are simulated)',
    ];
  }
  const needed = ['SIMULATOR_URL', 'SIMULATOR_SECRET_KEY', 'SIMULATOR_WEBHOOK_SECRET'] as const;
  return needed
    .filter((name) => !given[name])
    .map((name) => `${name}: required with ALLOW_SIMULATOR=true`);
}

/**
 * A stolen password must not open operators' pages on the internet; on a loopback address it may.
 */
function operatorProblems({ OPERATOR_PASSKEY, BASE_URL = '' }: Environment): string[] {
  const hostname = URL.parse(BASE_URL)?.hostname ?? '';
  const isOwnMachine = isLoopbackHost(hostname);
  if (OPERATOR_PASSKEY !== 'optional' || isOwnMachine) return [];
  return ['OPERATOR_PASSKEY: optional only where BASE_URL is an address of this machine'];
}

// The settings by name, as they are checked: those of `api` and `worker`, and those of single commands.
import { z } from 'zod';
import { isNetwork } from '../../domain/shared/public-address.ts';
import { temporalTlsSettings } from '../temporal-tls.ts';
import type { SecretKey } from '../../domain/shared/secrets.ts';

export const port = z.coerce.number().int().min(0).max(65535);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

/** An address to which paths are appended. */
const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

export const secretKeys = z.string().transform((text, context) => {
  const { keys, problems } = parseSecretKeys(text);
  for (const message of problems) context.addIssue({ code: 'custom', message });
  return keys;
});

/** What a worker does: first attempts and the outbox, or the tasks of queues. */
const WORKER_ROLES = ['dispatch', 'money', 'access', 'deliveries', 'upkeep'] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

const EXPECTED_ROLES = `expected one or more of ${WORKER_ROLES.join(', ')}, separated by commas`;
const workerRoles = list.pipe(z.array(z.enum(WORKER_ROLES, EXPECTED_ROLES)).min(1, EXPECTED_ROLES));

export const settings = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  LISTEN_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  TEMPORAL_ADDRESS: z.string().regex(/^[^\s/]+:\d+$/, 'expected host:port'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_UI_URL: z.url().optional(),
  ...temporalTlsSettings,
  TASK_QUEUE_PREFIX: z.string().default(''),
  TEMPORAL_DEPLOYMENT_NAME: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'expected up to 100 letters, digits, _ and -')
    .optional(),
  TEMPORAL_WORKER_BUILD_ID: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'expected up to 100 letters, digits, ., _ and -')
    .optional(),
  WORKER_ROLES: workerRoles.default([...WORKER_ROLES]),
  WORKFLOW_STARTS_PER_SECOND: z.coerce.number().int().min(1).max(10_000).default(25),
  BASE_URL: baseUrl,
  PORT: port.default(3000),
  LISTEN_HOSTS: list.default(['0.0.0.0']),
  METRICS_HOST: list.default(['127.0.0.1']),
  METRICS_PORT: port.default(9464),
  SECRET_KEYS: secretKeys,
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z
    .string()
    .regex(
      /^[^\r\n<>@]*(<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      'expected an address or Name <address>',
    )
    .optional(),
  SUPPORT_EMAIL: z
    .string()
    .regex(/^[^\s<>@]+@[^\s<>@]+$/, 'expected an address')
    .optional(),
  VERIFICATION_TIME: z
    .string()
    .regex(/^[^\p{Cc}\p{Cf}]{1,60}$/u, 'expected up to 60 characters in one line')
    .default('two working days'),
  STRIPE_SECRET_KEY: z.string().startsWith('sk_').optional(),
  STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_').optional(),
  ALLOW_SIMULATOR: flag.default(false),
  SIMULATOR_URL: z.url().optional(),
  SIMULATOR_SECRET_KEY: z.string().startsWith('sk_').optional(),
  SIMULATOR_WEBHOOK_SECRET: z.string().startsWith('whsec_').optional(),
  ALLOWED_NETWORKS: list
    .refine(
      (networks) => networks.every(isNetwork),
      'expected networks like 10.0.0.0/8, separated by commas',
    )
    .default([]),
  ALLOW_HTTP_ENDPOINTS: flag.default(false),
  GITHUB_API_URL: baseUrl.default('https://api.github.com'),
  GITLAB_API_URL: baseUrl.default('https://gitlab.com/api/v4'),
  CODEBERG_API_URL: baseUrl.default('https://codeberg.org/api/v1'),
  TRUST_PROXY: flag.default(false),
  REQUEST_LOG: flag.default(true),
  OPERATOR_PASSKEY: z.enum(['required', 'optional']).default('required'),
  LOG_FORMAT: z.enum(['json', 'pretty']).default('json'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

// The roles get the names and passwords of these addresses.
const roleUrl = settings.shape.DATABASE_URL.refine((text) => {
  const { username, password, pathname } = new URL(text);
  const isPlain = /^[\x21-\x7e]+$/.test(decodeURIComponent(password));
  return isPlain && username !== '' && pathname.length > 1;
}, 'expected postgres://role:password@host:port/database');
export const roleSettings = z.object({
  ADMIN_DATABASE_URL: settings.shape.DATABASE_URL,
  DATABASE_URL: roleUrl,
  APP_DATABASE_URL: roleUrl,
  SIMULATOR_DATABASE_URL: roleUrl.optional(),
});

export const simulatorSettings = settings.pick({
  DATABASE_URL: true,
  LISTEN_HOSTS: true,
  LOG_FORMAT: true,
  LOG_LEVEL: true,
});

export const localSettings = z.object({
  PORT: port.default(3000),
  GATEHOUSE_DATA_DIR: z.string().min(1).default('.gatehouse'),
  PG_PORT: port.default(54329),
  TEMPORAL_PORT: port.default(7233),
  TEMPORAL_UI_PORT: port.default(8233),
  MAIL_PORT: port.default(1025),
  MAILBOX_PORT: port.default(8025),
  SIMULATOR_PORT: port.default(3100),
  METRICS_PORT: port.default(9464),
  TEMPORAL_ADDRESS: settings.shape.TEMPORAL_ADDRESS.optional(),
  LOG_LEVEL: settings.shape.LOG_LEVEL,
});

const ENTRY = /^(?<id>[a-z0-9]{1,16}):(?<encoded>[A-Za-z0-9+/_-]{43}=?)(?<mark>:open)?$/;

/** Keys as `id:key,id:key:open`. A problem names the place of an entry and quotes nothing of it. */
function parseSecretKeys(text: string): { keys: SecretKey[]; problems: string[] } {
  const problems: string[] = [];
  const keys = text.split(',').flatMap((entry, index): SecretKey[] => {
    const found = ENTRY.exec(entry.trim())?.groups;
    if (found) {
      const key = Buffer.from(found['encoded']!, 'base64');
      return [{ id: found['id']!, key, isDecryptOnly: found['mark'] !== undefined }];
    }
    problems.push(
      `entry ${index + 1} is not id:key or id:key:open, with an id of a-z and 0-9 and 32 bytes in base64`,
    );
    return [];
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) problems.push('two keys share an id');
  if (keys[0]?.isDecryptOnly) problems.push('the first key encrypts: it cannot be :open');
  return { keys, problems };
}

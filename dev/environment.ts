import type { LocalSettings } from '../platform/config.ts';
import { FORGE_PATH } from './imports/stand-in.ts';
import type { LocalSecrets } from './data/secrets.ts';

export const LOOPBACK_HOSTS = ['127.0.0.1', '::1'];

const PORTS = [
  'PORT',
  'PG_PORT',
  'TEMPORAL_PORT',
  'TEMPORAL_UI_PORT',
  'MAIL_PORT',
  'MAILBOX_PORT',
  'SIMULATOR_PORT',
  'METRICS_PORT',
] as const;
export type Addresses = ReturnType<typeof addressesFor>;
export type Ports = Record<(typeof PORTS)[number], number>;

/** The ports that we are going to listen on. */
export function wantedPorts(settings: LocalSettings): Ports {
  const own = Object.fromEntries(PORTS.map((name) => [name, settings[name]])) as Ports;
  // With a server of somebody else these two are not ours: any free number will do.
  return settings.TEMPORAL_ADDRESS ? { ...own, TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0 } : own;
}

export function addressesFor(settings: LocalSettings, ports: Ports) {
  const temporalHost = settings.TEMPORAL_ADDRESS?.replace(/:\d+$/, '');
  const uiPort = temporalHost ? settings.TEMPORAL_UI_PORT : ports.TEMPORAL_UI_PORT;
  return {
    baseUrl: `http://localhost:${ports.PORT}`,
    temporalAddress: settings.TEMPORAL_ADDRESS ?? `127.0.0.1:${ports.TEMPORAL_PORT}`,
    temporalUiUrl: `http://${temporalHost ?? 'localhost'}:${uiPort}`,
    mailboxUrl: `http://localhost:${ports.MAILBOX_PORT}`,
    simulatorUrl: `http://localhost:${ports.SIMULATOR_PORT}`,
  };
}

/** The settings of API, worker and simulator. */
export function serviceEnvironment(
  { LOG_LEVEL }: LocalSettings,
  given: { ports: Ports; addresses: Addresses; secrets: LocalSecrets },
): Record<string, string> {
  const { ports, addresses, secrets } = given;
  return {
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_UI_URL: addresses.temporalUiUrl,
    BASE_URL: addresses.baseUrl,
    PORT: String(ports.PORT),
    LISTEN_HOSTS: LOOPBACK_HOSTS.join(','),
    METRICS_HOST: LOOPBACK_HOSTS.join(','),
    METRICS_PORT: String(ports.METRICS_PORT),
    SECRET_KEYS: secrets.secretKeys,
    SMTP_URL: `smtp://127.0.0.1:${ports.MAIL_PORT}`,
    ALLOW_SIMULATOR: 'true',
    SIMULATOR_URL: addresses.simulatorUrl,
    SIMULATOR_PORT: String(ports.SIMULATOR_PORT),
    SIMULATOR_SECRET_KEY: secrets.simulatorSecretKey,
    SIMULATOR_WEBHOOK_SECRET: secrets.simulatorWebhookSecret,
    ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    ALLOW_HTTP_ENDPOINTS: 'true',
    GITHUB_API_URL: addresses.mailboxUrl + FORGE_PATH,
    GITLAB_API_URL: addresses.mailboxUrl + FORGE_PATH,
    CODEBERG_API_URL: addresses.mailboxUrl + FORGE_PATH,
    OPERATOR_PASSKEY: 'optional',
    LOG_FORMAT: 'pretty',
    LOG_LEVEL,
  };
}

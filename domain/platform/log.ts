import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

type Options = { name: string; format: 'json' | 'pretty'; level: string };

// Nothing logs these on purpose; a careless object is stripped of them all the same.
const SECRETS = ['authorization', 'cookie', 'password', 'token', 'secret', 'email', 'body', 'code'];

/** JSON lines in production, readable lines locally. */
export function createLogger({ name, format, level }: Options): Logger {
  const options = {
    name,
    level,
    base: { name },
    redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), remove: true },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  if (format === 'json') return pino(options);
  return pino(options, pretty({ colorize: false, ignore: 'hostname,pid', sync: true }));
}

import { createRequire } from 'node:module';
import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger };

const require = createRequire(import.meta.url);

type Options = {
  name: string;
  format: 'json' | 'pretty';
  level: string;
  /** The output of JSON lines; standard output by default. */
  output?: DestinationStream;
};

// No code logs these on purpose; they are removed from careless objects too.
const SECRETS = ['authorization', 'cookie', 'password', 'token', 'secret', 'email', 'body', 'code'];

/** JSON lines in production, readable lines locally. */
export function createLogger({ name, format, level, output }: Options): Logger {
  const options = {
    name,
    level,
    base: { name },
    serializers: { err: describeFault, error: describeFault },
    redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), remove: true },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  if (format === 'json') return output ? pino(options, output) : pino(options);
  // A development dependency: a production install has only JSON.
  const pretty = require('pino-pretty');
  return pino(options, pretty({ colorize: false, ignore: 'hostname,pid', sync: true }));
}

/** PostgreSQL and parsers quote the values at fault in their messages and fields. */
export function isQuoting(error: Error): boolean {
  return 'severity' in error || error instanceof SyntaxError;
}

/** Place and reason without the values at fault. */
function describeFault(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error).split('\n')[0] };
  const { code, constraint } = error as Error & Record<string, unknown>;
  return {
    type: error.name,
    ...(code === undefined ? {} : { reason: String(code) }),
    ...(constraint === undefined ? {} : { constraint: String(constraint) }),
    ...(isQuoting(error) ? {} : { message: error.message.split('\n')[0] }),
    stack: error.stack?.split('\n').filter((line) => line.startsWith('    at ')),
    ...(error.cause === undefined ? {} : { cause: describeFault(error.cause) }),
  };
}

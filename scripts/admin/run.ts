// The commands of `npm run admin`.
import { toHttpError } from '../../api/http/errors.ts';
import { ENTITIES } from '../../domain/entities.ts';
import { ConfigurationError } from '../../platform/config.ts';
import { openDatabase, type Database } from '../../platform/database/database.ts';
import type { SecretKey } from '../../domain/shared/secrets.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { readCommand, USAGE, type Command } from './command-line.ts';
import {
  createOperator,
  letOperatorBeginAnew,
  Refused,
  removeOperator,
  showOperators,
  type LinkSettings,
} from './operators.ts';
import { rotateKey } from './rotate-key.ts';
import { readAdminSettings, type AdminSettings } from './settings.ts';

const TIMEOUT_MS = 10_000;

/** Runs a command line, says what came of it, and returns the exit code. */
export async function runAdmin(args: string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  try {
    const command = readCommand(args);
    const lines = command.name === 'help' ? [USAGE] : await run(command, context);
    terminal.log(lines.join('\n'));
    return 0;
  } catch (error) {
    terminal.error(explain(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

type Order = Exclude<Command, { name: 'help' }>;

async function run(command: Order, { environment, terminal }: CommandContext): Promise<string[]> {
  const settings = readAdminSettings(environment);
  const { databaseUrl: url } = settings;
  const database = openDatabase({
    url,
    listenUrl: url,
    name: 'admin',
    entities: ENTITIES,
    poolSize: 2,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    return await dispatch(database, command, { settings, terminal });
  } finally {
    await database.close();
  }
}

function dispatch(
  database: Database,
  command: Order,
  { settings, terminal }: { settings: AdminSettings } & Pick<CommandContext, 'terminal'>,
): Promise<string[]> {
  if (command.name === 'list') return showOperators(database);
  if (command.name === 'remove') return removeOperator(database, command.email);
  if (command.name === 'rotate-key') {
    return rotateKey(database, { keys: keysOf(settings, 'rotate-key'), print: terminal.log });
  }
  const links = command.isLinkPrinted ? linkSettings(settings) : null;
  return command.name === 'recover'
    ? letOperatorBeginAnew(database, { email: command.email, links })
    : createOperator(database, { command, links });
}

function linkSettings({ baseUrl, secretKeys }: AdminSettings): LinkSettings {
  if (baseUrl && secretKeys) return { baseUrl, secretKeys };
  throw new ConfigurationError('--print-link needs the BASE_URL and SECRET_KEYS of the API.');
}

function keysOf({ secretKeys }: AdminSettings, command: string): SecretKey[] {
  if (secretKeys) return secretKeys;
  throw new ConfigurationError(`${command} needs the SECRET_KEYS of the API.`);
}

function explain(error: unknown): unknown {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof ConfigurationError || error instanceof Refused) return error.message;
  if (toHttpError(error).code === 'unavailable') {
    return 'The database does not respond. Check that it is running and that DATABASE_URL is correct. Without DATABASE_URL, `npm start` must be running.';
  }
  if (isNotMigrated(error)) return 'The database is not up to date. Run `npm run migrate`.';
  return error;
}

function isNotMigrated(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '42P01' || code === '42703';
}

// What the commands of `npm run admin`, `replay` and `pool` have in common.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { Environment } from '../platform/settings/parse-settings.ts';

/** What a command reads its settings from, and to whom it speaks. */
export type CommandContext = {
  /** The environment of the process by default. */
  environment?: Environment;
  terminal: Pick<Console, 'log' | 'error'>;
};

/** The command line is not valid, or what it names is not there. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The options of a command line, and its other words. */
export function parseWords<Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

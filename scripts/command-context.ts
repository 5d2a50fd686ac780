import type { Environment } from '../platform/settings/parse-settings.ts';

/** What a command reads its settings from, and to whom it speaks. */
export type CommandContext = {
  /** That of the process by default. */
  environment?: Environment;
  terminal: Pick<Console, 'log' | 'error'>;
};

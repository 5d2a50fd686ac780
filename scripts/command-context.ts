import type { Environment } from '../platform/settings/parse-settings.ts';

/** What a command reads its settings from, and to whom it speaks. */
export type CommandContext = {
  /** The environment of the process by default. */
  environment?: Environment;
  terminal: Pick<Console, 'log' | 'error'>;
};

import type { Environment } from '../platform/settings/parse-settings.ts';

/** What a command reads its settings from, and to whom it speaks. */
export type Surroundings = { environment: Environment; terminal: Pick<Console, 'log' | 'error'> };

// The settings of PostgreSQL that keep values of statements out of its log.
import type pg from 'pg';
import type { Logger } from '../log.ts';

/** Setting -> the values with which no statement and no value is logged. */
const KEEPS_VALUES_OUT: Record<string, RegExp> = {
  log_min_error_statement: /^panic$/,
  log_error_verbosity: /^terse$/, // a DETAIL quotes the row at fault
  log_statement: /^(none|ddl)$/,
  log_min_duration_statement: /^-1$/,
  log_min_duration_sample: /^-1$/,
  log_transaction_sample_rate: /^0$/,
  log_parameter_max_length: /^0$/,
  log_parameter_max_length_on_error: /^0$/,
};

/** Arguments for the command line of a server whose other settings are PostgreSQL's defaults. */
export const LOG_SETTINGS = [
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_parameter_max_length=0',
] as const;

/** The settings that let the server log values. */
export async function findRevealingSettings(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1) order by name',
    [Object.keys(KEEPS_VALUES_OUT)],
  );
  const revealing = rows.filter(({ name, setting }) => !KEEPS_VALUES_OUT[name]!.test(setting));
  return Object.fromEntries(revealing.map(({ name, setting }) => [name, setting]));
}

/** Warns at the start of a process, which starts without its database too and then logs nothing. */
export async function warnOfRevealingSettings(pool: pg.Pool, logger: Logger): Promise<void> {
  const settings = await findRevealingSettings(pool).catch(() => ({}));
  if (Object.keys(settings).length === 0) return;
  logger.warn(
    { settings },
    'PostgreSQL may write addresses and other values to its log: see "Logs of PostgreSQL" in docs/running-in-production.md',
  );
}

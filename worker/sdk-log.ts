import type { Logger as SdkLogger, LogLevel, LogMetadata } from '@temporalio/worker';
import type { Logger } from '../platform/log.ts';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

/**
 * The SDK's log with level, error and fields. The SDK's collector calls `log` alone; code that
 * holds the logger calls the methods of the levels.
 */
export function createSdkLogger(logger: Logger): SdkLogger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    const { error, ...sdk } = meta;
    logger[LEVELS[level]]({ sdk, ...(error === undefined ? {} : { err: error }) }, message);
  };
  const at = (level: LogLevel) => (message: string, meta?: LogMetadata) =>
    log(level, message, meta);
  return {
    log,
    trace: at('TRACE'),
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  };
}

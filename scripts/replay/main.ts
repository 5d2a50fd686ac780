// `npm run replay`: histories of real runs against the workflows of this checkout.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { runReplay } from './run.ts';

// What a replay finds is in its result, so the SDK's log would only repeat it.
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('ERROR', () => undefined),
  telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
});
process.exit(await runReplay(process.argv.slice(2), { terminal: console }));

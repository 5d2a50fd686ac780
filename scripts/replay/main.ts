// `npm run replay`: histories of real runs against the workflows of this checkout.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { runReplay } from './run.ts';

// What a replay finds is in its result, so the SDK's log would only repeat it.
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('ERROR', () => undefined),
  telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
});
const { argv, env: environment } = process;
process.exit(await runReplay(argv.slice(2), { environment, terminal: console }));

// The application in a process of its own, with limits that no race can reach. Started by
// api-processes.ts, which sends what it needs and hears on which port it listens.
import { once } from 'node:events';
import { createProcessor } from '../../../clients/processor/processor.ts';
import { createApp, type AppOptions } from '../../../api/app.ts';
import type { Limits } from '../../../api/http/limits.ts';
import { listen } from '../../../platform/http-server.ts';
import { createLogger } from '../../../platform/log.ts';
import { openAppDatabase } from '../engines/database.ts';
import { createUsageRecorder } from '../../../domain/usage/usage-recorder.command.ts';

export type ApiProcessSettings = {
  databaseUrl: string;
  config: Omit<AppOptions['config'], 'secretKeys'> & { secretKeys: { id: string; key: string }[] };
  limits: Partial<Limits>;
};

const [settings] = (await once(process, 'message')) as [ApiProcessSettings];
const { databaseUrl: url, config, limits } = settings;
const secretKeys = config.secretKeys.map(({ id, key }) => ({
  id,
  key: Buffer.from(key, 'base64'),
}));
const database = openAppDatabase(url, 'api');
const logger = createLogger({ name: 'api', format: 'json', level: 'silent' });
const app = createApp({
  config: { ...config, secretKeys },
  database,
  processor: createProcessor(config.processor),
  logger,
  usage: createUsageRecorder(database.pool, logger),
  limits,
});
const listener = await listen(app, { hosts: ['127.0.0.1'], port: 0 });
process.send!(listener.port);
await once(process, 'disconnect');
process.exit();

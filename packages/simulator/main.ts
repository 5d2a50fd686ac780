// The built-in payment simulator: the part of Stripe's API that is used, and a checkout page.
import { readSimulatorConfig } from '../../platform/config.ts';
import { listen } from '../../platform/http-server.ts';
import { createLogger } from '../../platform/log.ts';
import { listenForStop, untilAborted } from '../../platform/shutdown.ts';
import { createApp } from './app.ts';
import { openSimulatorDatabase } from './database.ts';
import { startDeliveryLoop } from './delivery-loop.ts';

export type SimulatorOptions = {
  databaseUrl: string;
  /** 0 takes any free port, which then also replaces a port 0 in `url`. */
  port: number;
  hosts: string[];
  /** The address at which buyers reach the checkout page. */
  url: string;
  secretKey: string;
  webhookSecret: string;
  webhookUrl: string;
  /** What answers once the receiver of the events is up: the first event waits for it. */
  healthUrl?: string;
  log: { format: 'json' | 'pretty'; level: string };
};

export type Simulator = {
  port: number;
  /** Looks at once at what has come due; by itself it does so every second. */
  wake(): void;
  stop(): Promise<void>;
};

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const log = createLogger({ name: 'payment-simulator', ...options.log });
  const address = new URL(options.url);
  const pool = await openSimulatorDatabase(options.databaseUrl);
  const loop = startDeliveryLoop({ ...options, pool, log });
  const publicUrl = () => address.origin;
  const { wake, release } = loop;
  const app = createApp({ pool, log, secretKey: options.secretKey, publicUrl, wake, release });
  const stopWork = async () => {
    await loop.stop();
    await pool.end();
  };
  const listener = await listen(app.callback(), options).catch(async (error: unknown) => {
    await stopWork();
    throw error;
  });
  if (address.port === '0') address.port = String(listener.port);
  log.info({ url: address.origin }, 'listening');
  return {
    port: listener.port,
    wake,
    async stop() {
      await listener.close();
      await stopWork();
    },
  };
}

async function main(): Promise<void> {
  const config = readSimulatorConfig();
  const simulator = await startSimulator({
    databaseUrl: config.DATABASE_URL,
    port: config.SIMULATOR_PORT,
    hosts: config.LISTEN_HOSTS,
    url: config.SIMULATOR_URL,
    secretKey: config.SIMULATOR_SECRET_KEY,
    webhookSecret: config.SIMULATOR_WEBHOOK_SECRET,
    webhookUrl: `${config.BASE_URL}/api/processor/events`,
    healthUrl: `${config.BASE_URL}/api/health`,
    log: { format: config.LOG_FORMAT, level: config.LOG_LEVEL },
  });
  process.send?.('ready');
  await untilAborted(listenForStop());
  await simulator.stop();
  process.exit(); // the channel to the parent would keep it alive
}

if (import.meta.main) await main();

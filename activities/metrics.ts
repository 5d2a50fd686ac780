import { Counter, Gauge, Registry } from 'prom-client';
import type { RequestListener } from 'node:http';
import type { Database } from '../domain/platform/database.ts';
import { readOutboxLag } from '../domain/platform/outbox/outbox.store.ts';
import { readDeliveryTrouble } from '../domain/webhooks/delivery.store.ts';
import { ACTOR_NAMES } from '../workflows/contracts.ts';

export type Metrics = { countAttempt(outcome: string): void; handler: RequestListener };

/** What an operator watches; counted here or asked of the database at each visit. */
export function createMetrics(database: Database): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const attempts = new Counter({
    name: 'gatehouse_delivery_attempts_total',
    help: 'Webhook attempts by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const waiting = new Gauge({
    name: 'gatehouse_outbox_waiting',
    help: 'Messages to workflows that wait to be sent, by lane.',
    labelNames: ['lane'],
    registers,
  });
  const oldest = new Gauge({
    name: 'gatehouse_outbox_oldest_seconds',
    help: 'Age of the oldest message that waits, by lane.',
    labelNames: ['lane'],
    registers,
  });
  const dead = new Gauge({
    name: 'gatehouse_deliveries_dead',
    help: 'Webhook deliveries that gave up.',
    registers,
  });
  const overdue = new Gauge({
    name: 'gatehouse_delivery_retry_overdue_seconds',
    help: 'How late the most overdue retry is.',
    registers,
  });

  async function read(): Promise<string> {
    const [lags, trouble] = await Promise.all([
      readOutboxLag(database.em()),
      readDeliveryTrouble(database.em()),
    ]);
    for (const lane of ACTOR_NAMES) {
      const lag = lags.find(({ workflowType }) => workflowType === lane);
      waiting.set({ lane }, lag?.waiting ?? 0);
      oldest.set({ lane }, lag?.oldestS ?? 0);
    }
    dead.set(trouble.dead);
    overdue.set(trouble.overdueS);
    return registry.metrics();
  }

  return {
    countAttempt: (outcome) => attempts.inc({ outcome }),
    handler: (request, response) => void answer(read, request, response),
  };
}

async function answer(
  read: () => Promise<string>,
  ...[request, response]: Parameters<RequestListener>
): Promise<void> {
  request.resume();
  if (request.url !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  try {
    const text = await read();
    response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  } catch {
    response.writeHead(503).end(); // the database is away
  }
}

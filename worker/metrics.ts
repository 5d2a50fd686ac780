import { Counter, Gauge, Registry } from 'prom-client';
import type { RequestListener } from 'node:http';
import { ALERT_NAMES } from '../domain/alerts/alert-kind.ts';
import { countAlerts } from '../domain/alerts/alert.repository.ts';
import { readLeftovers } from '../domain/retention/leftover-rows.repository.ts';
import { countOverdue } from '../domain/alerts/overdue.query.ts';
import { countMonthsAhead } from '../domain/retention/partitions.repository.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import { readOutboxLag } from '../domain/outbox/outbox.query.ts';
import { PRIORITIES } from '../domain/outbox/workflow-targets.ts';
import { countDeadLetteredMessages } from '../domain/outbox/outbox.repository.ts';
import { readLedgerCheck } from '../domain/billing/ledger/ledger-check.query.ts';
import { readDeliveryHealth } from '../domain/webhooks/deliveries/delivery-health.query.ts';
import { watchFailing, type ListFailing } from './failing-metric.ts';

type Sources = {
  readSdkMetrics?: () => Promise<string>;
  /** Asks Temporal for the types whose workflow tasks fail, with the number of their runs. */
  listFailing?: ListFailing;
  logger?: Pick<Logger, 'warn'>;
};

export type Metrics = { countAttempt(outcome: string): void; handler: RequestListener };

/** The metrics of the worker, counted here or read from database and SDK at each scrape. */
export function createMetrics(
  database: Database,
  { readSdkMetrics, listFailing, logger }: Sources = {},
): Metrics {
  const registry = new Registry();
  if (listFailing) watchFailing(listFailing, [registry]);
  const attempts = new Counter({
    name: 'gatehouse_delivery_attempts_total',
    help: 'Webhook attempts by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const gauges = defineGauges(registry);

  async function read(): Promise<string> {
    const [lags, refused, raised, deliveries, ledger, allOverdue, leftovers, months] =
      await Promise.all([
        readOutboxLag(database.em(), Object.values(PRIORITIES)),
        countDeadLetteredMessages(database.em()),
        countAlerts(database.em()),
        readDeliveryHealth(database.pool),
        readLedgerCheck(database.em()),
        countOverdue(database.em()),
        readLeftovers(database.em()),
        countMonthsAhead(database.em()),
      ]);
    for (const { priority, ...lag } of lags) {
      gauges.waiting.set({ priority }, lag.waiting);
      gauges.oldest.set({ priority }, lag.oldestS);
    }
    gauges.deadLettered.set(refused);
    for (const kind of ALERT_NAMES) gauges.alerts.set({ kind }, 0);
    for (const { kind, open } of raised) gauges.alerts.set({ kind }, open);
    gauges.dead.set(deliveries.dead);
    gauges.underWay.set(deliveries.underWay);
    gauges.late.set(deliveries.oldestFirstAttemptS);
    gauges.overdue.set(deliveries.overdueS);
    for (const { kind, workflowType, overdue: n } of allOverdue) {
      gauges.swept.set({ kind, workflow_type: workflowType }, n);
    }
    for (const { kind: table, overdueS } of leftovers) gauges.leftovers.set({ table }, overdueS);
    gauges.monthsAhead.set(months);
    gauges.unbalanced.set(ledger?.unbalanced ?? 0);
    gauges.checkAge.set(ledger?.ageS ?? -1);
    return `${await registry.metrics()}\n${(await readSdkMetrics?.()) ?? ''}`;
  }

  return {
    countAttempt: (outcome) => attempts.inc({ outcome }),
    handler: (request, response) => void respond({ read, logger }, request, response),
  };
}

function defineGauges(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    waiting: gauge(
      'gatehouse_outbox_waiting',
      'Messages to workflows that wait to be sent, by priority; counted up to 10,000.',
      ['priority'],
    ),
    oldest: gauge(
      'gatehouse_outbox_oldest_seconds',
      'Age of the oldest message that waits, by priority.',
      ['priority'],
    ),
    deadLettered: gauge(
      'gatehouse_outbox_dead_lettered',
      'Messages that Temporal refused ten times.',
    ),
    alerts: gauge('gatehouse_alerts_open', 'Alerts that wait for an operator, by kind.', ['kind']),
    dead: gauge(
      'gatehouse_deliveries_dead',
      'Webhook deliveries that gave up; counted up to 10,000.',
    ),
    underWay: gauge('gatehouse_deliveries_under_way', 'Webhook attempts being made now.'),
    late: gauge(
      'gatehouse_delivery_first_attempt_overdue_seconds',
      'How long the oldest first attempt has been waiting.',
    ),
    overdue: gauge(
      'gatehouse_delivery_retry_overdue_seconds',
      'How late the most overdue retry is.',
    ),

    swept: gauge(
      'gatehouse_overdue',
      'What a workflow should have done ten minutes ago, by kind; counted up to 10,000.',
      ['kind', 'workflow_type'],
    ),
    leftovers: gauge(
      'gatehouse_upkeep_overdue_seconds',
      'For how long the oldest row that upkeep should have removed has been over, by table.',
      ['table'],
    ),
    monthsAhead: gauge(
      'gatehouse_months_ahead',
      'The months after this one for which every table that is kept by month is prepared.',
    ),
    unbalanced: gauge(
      'gatehouse_ledger_unbalanced_currencies',
      'Currencies whose entries did not sum to zero at the last check.',
    ),
    checkAge: gauge(
      'gatehouse_ledger_check_age_seconds',
      'How long ago the ledger was added up; -1 before the first time.',
    ),
  };
}

async function respond(
  { read, logger }: { read: () => Promise<string>; logger: Sources['logger'] },
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
  } catch (error) {
    logger?.warn({ err: error }, 'the metrics could not be read');
    response.writeHead(503).end();
  }
}

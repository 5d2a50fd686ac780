// What waits for an operator, of every kind.
import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely, type Tables } from '../kysely.ts';

const QUEUES = ['requests', 'appeals', 'months', 'alerts', 'events', 'jobs'] as const;

type QueueName = (typeof QUEUES)[number];

/** How many wait in each queue, and since when the first of them does. */
export type Waiting = Record<QueueName, { count: number; since: Date | null }>;

/** Counts in one statement, along the partial indexes of what is open. */
export async function countQueues(em: EntityManager): Promise<Waiting> {
  const db = kysely(em);
  const found = await requests(db)
    .unionAll(appeals(db))
    .unionAll(months(db))
    .unionAll(alerts(db))
    .unionAll(events(db))
    .unionAll(jobs(db))
    .execute();
  const counted = new Map(found.map(({ queue, count, since }) => [queue, { count, since }]));
  const of = (queue: QueueName) => [queue, counted.get(queue)!] as const;
  return Object.fromEntries(QUEUES.map(of)) as Waiting;
}

type Db = Kysely<Tables>;

/** The columns of a queue, whose first row is the one that waits longest. */
const queue =
  <Table extends keyof Tables & string>(name: QueueName, since: string) =>
  ({ fn }: ExpressionBuilder<Tables, Table>) =>
    [
      sql.lit(name).as('queue'),
      fn.countAll<number>().as('count'),
      fn.min<Date | null>(since as never).as('since'),
    ] as const;

const requests = (db: Db) =>
  db
    .selectFrom('person')
    .select(queue<'person'>('requests', 'builderRequestedAt'))
    .where('builderRequestedAt', 'is not', null)
    .where('builderVerifiedAt', 'is', null)
    .where('deletedAt', 'is', null);

const appeals = (db: Db) =>
  db
    .selectFrom('sealAppeal')
    .select(queue<'sealAppeal'>('appeals', 'createdAt'))
    .where('outcome', 'is', null);

/** Months of the creator pool that nobody has approved. */
const months = (db: Db) =>
  db
    .selectFrom('poolPeriod')
    .select(queue<'poolPeriod'>('months', 'computedAt'))
    .where('status', '=', 'in_review')
    .where('paidAt', 'is', null);

const alerts = (db: Db) =>
  db
    .selectFrom('alert')
    .select(queue<'alert'>('alerts', 'raisedAt'))
    .where('resolvedAt', 'is', null);

const events = (db: Db) =>
  db
    .selectFrom('processorEvent')
    .select(queue<'processorEvent'>('events', 'receivedAt'))
    .where('deadLetterReason', 'is not', null)
    .where('handledAt', 'is', null);

const jobs = (db: Db) =>
  db
    .selectFrom('outbox')
    .select(queue<'outbox'>('jobs', 'deadLetteredAt'))
    .where('deadLetteredAt', 'is not', null);

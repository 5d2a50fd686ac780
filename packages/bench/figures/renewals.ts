// Many live subscriptions, and a crowd of them that is renewed at once, through everything that they pass.
import { setTimeout as pause } from 'node:timers/promises';
import type { Measurement } from '../figure.ts';
import { runLoad } from '../measure/contest.ts';
import { bareRead, entitlementCheck } from '../measure/contestants.ts';
import { sampleUntilSettled } from '../measure/memory.ts';
import { databaseTime, until } from '../recorded.ts';
import type { Server } from '../start/process.ts';
import { CANDID, HEAP_ASKED } from '../start/heap-question.ts';
import { buyMany, openSales } from '../sales.ts';
import type { Stage } from '../stage.ts';
import { median } from '../measure/statistics.ts';
import { figures } from './table.ts';

/** `BENCH_SUBSCRIPTIONS=500` shows on any machine that it runs. */
const LIVE = Number(process.env['BENCH_SUBSCRIPTIONS'] ?? 10_000);
/** More than the workflows that a worker keeps in memory. */
const CACHED = Math.min(500, LIVE / 2);
/** One in ten is due in one minute: 1,000. */
const DUE = Math.floor(LIVE / 10);
const DUE_WITHIN_S = 60;
const TOGETHER = 200;
const AHEAD_S = 10;

/** Loads whose median says how quick checks are. */
const LOADS = 5;

export const renewals: Measurement = {
  figures: figures('B1', 'B2', 'B3'),
  isByNameOnly: true,
  async measure(stage) {
    const { next, worker, close } = await openSales(stage, { kind: 'monthly', nodeArgs: CANDID });
    const few = await hold(stage, { next, count: CACHED, worker });
    const many = await hold(stage, { next, count: LIVE - CACHED, worker });
    await compareChecks(stage); // warms up
    const undisturbed = await compareChecks(stage);
    const since = await makeDue(stage);
    const [B2, disturbed] = await Promise.all([untilRenewed(stage, since), compareChecks(stage)]);
    stage.say(`  ${DUE} of ${LIVE} due within ${DUE_WITHIN_S} s: renewed in ${B2.toFixed(1)} s`);
    await close();
    return [{ B1: many / few, B2, B3: disturbed / undisturbed }];
  },
};

/** Entitlement checks per second / bare reads, in turn. */
async function compareChecks(stage: Stage): Promise<number> {
  const [check, read] = [await entitlementCheck(stage), await bareRead(stage)];
  const ratios: number[] = [];
  while (ratios.length < LOADS) {
    const checks = await runLoad(stage, check);
    const reads = await runLoad(stage, read);
    ratios.push(checks.requestsPerS / reads.requestsPerS);
  }
  return median(ratios);
}

type Held = { next: () => Promise<string>; count: number; worker: Server };

/** Adds subscriptions at rest. Returns what the worker's heaps hold after a collection, in MiB. */
async function hold(stage: Stage, { next, count, worker }: Held): Promise<number> {
  // More at once would be in each other's way, and say nothing about those who are there.
  for (let left = count; left > 0; left -= TOGETHER) {
    await buyMany(stage, { next, count: Math.min(TOGETHER, left) });
  }
  await until(stage, {
    sql: `select count(*) filter (where period_end is null)::int as left
      from subscription`,
  });
  const held = median(await sampleUntilSettled(worker.pid));
  const heap = await worker.ask<number>(HEAP_ASKED);
  stage.say(
    `  ${count} more subscriptions: ${heap.toFixed(1)} MiB in use, ${held.toFixed(0)} MiB held`,
  );
  return heap;
}

/** Makes renewals due here and at the processor. Returns the instant of the first of them. */
async function makeDue(stage: Stage): Promise<Date> {
  await stage.pool.query(
    `create schema if not exists bench;
     create table if not exists bench.due (id text, processor_id text, at timestamptz);
     truncate bench.due`,
  );
  await stage.pool.query(
    `insert into bench.due select id, processor_id, gatehouse_now()
       + ($2 + $3::float * row_number() over (order by id) / $1) * interval '1 second'
     from subscription where status = 'active' order by id limit $1`,
    [DUE, AHEAD_S, DUE_WITHIN_S],
  );
  await stage.pool.query(
    `update simulator.subscription s set started_at = d.at - interval '1 month', period_end = d.at
     from bench.due d where s.id = d.processor_id`,
  );
  await stage.pool.query(
    `update subscription s set period_start = d.at - interval '1 month', period_end = d.at
     from bench.due d where s.id = d.id`,
  );
  await pause(AHEAD_S * 1_000);
  return databaseTime(stage);
}

async function untilRenewed(stage: Stage, since: Date): Promise<number> {
  await until(stage, {
    sql: `select ${DUE} - count(*)::int as left from event
      where name = 'entitlement.renewed' and created_at >= $1`,
    values: [since],
  });
  const { rows } = await stage.pool.query<{ seconds: number }>(
    `select extract(epoch from max(created_at) - $1)::float as seconds from event
     where name = 'entitlement.renewed' and created_at >= $1`,
    [since],
  );
  return rows[0]!.seconds;
}

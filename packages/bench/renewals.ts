// Many live subscriptions, and a crowd of them that is renewed at once, through everything that they pass.
import { setTimeout as pause } from 'node:timers/promises';
import { compete } from './measure/contest.ts';
import { bareRead, entitlementCheck } from './measure/contestants.ts';
import { sampleUntilSettled } from './measure/memory.ts';
import { databaseTime } from './recorded.ts';
import type { Server } from './start/process.ts';
import { CANDID, HEAP_ASKED } from './start/heap-question.ts';
import { buyMany, openSales } from './sales.ts';
import type { Stage } from './stage.ts';
import { median, ratios } from './measure/statistics.ts';
import { until } from './until.ts';

export type Renewals = {
  /** What is in use in the worker's heaps with all of them / with as many as its caches hold. */
  memory: number[];
  /** The seconds from the first subscription that was due to the last that was told of. */
  seconds: number[];
  /** The entitlement check / a bare read meanwhile, over the same before. */
  checks: number[];
};

/** `BENCH_SUBSCRIPTIONS=500` shows on any machine that it runs. */
const LIVE = Number(process.env['BENCH_SUBSCRIPTIONS'] ?? 10_000);
/** More than the workflows that a worker keeps in memory. */
const CACHED = Math.min(500, LIVE / 2);
/** One in ten is due in one minute: 1,000. */
const DUE = Math.floor(LIVE / 10);
const DUE_WITHIN_S = 60;
const TOGETHER = 200;
const AHEAD_S = 10;

let measured: Promise<Renewals> | undefined;

/** Measured once for all three figures. */
export function measureRenewals(stage: Stage): Promise<Renewals> {
  return (measured ??= run(stage));
}

async function run(stage: Stage): Promise<Renewals> {
  const contestants = { check: await entitlementCheck(stage), read: await bareRead(stage) };
  const check = async () => {
    const rounds = await compete(stage, contestants, { connections: 32 });
    const perS = (name: keyof typeof rounds) => rounds[name].map((round) => round.requestsPerS);
    return ratios(perS('check'), perS('read'));
  };
  const { next, worker, close } = await openSales(stage, { kind: 'monthly', nodeArgs: CANDID });
  const few = await hold(stage, { next, count: CACHED, worker });
  const many = await hold(stage, { next, count: LIVE - CACHED, worker });
  const undisturbed = median(await check());
  const since = await makeDue(stage);
  const [seconds, disturbed] = await Promise.all([untilRenewed(stage, since), check()]);
  stage.say(`  ${DUE} of ${LIVE} due within ${DUE_WITHIN_S} s: renewed in ${seconds.toFixed(1)} s`);
  await close();
  return {
    memory: [many / few],
    seconds: [seconds],
    checks: disturbed.map((ratio) => ratio / undisturbed),
  };
}

type Held = { next: () => Promise<string>; count: number; worker: Server };

/**
 * Adds subscriptions, waits until they rest, and returns what the worker's heaps hold after a
 * collection, in MiB.
 */
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

/** Makes subscriptions due here and at the processor; returns when the first of them is due. */
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

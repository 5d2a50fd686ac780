import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../platform/log.ts';
import { hmacSha256Hex } from '../../domain/shared/secrets.ts';
import { claimHeldEvents, type HeldOrder } from './knobs/knob.repository.ts';
import {
  claimDueEvents,
  markDelivered,
  postpone,
  type DueEvent,
} from './records/event.repository.ts';
import { settleDue } from './settlement.ts';

const LOOK_EVERY_MS = 1_000;
const ASK_EVERY_MS = 200;
const DEADLINE_MS = 10_000;
const MOST_AT_ONCE = 10;

export type DeliveryLoop = {
  wake(): void;
  /** Delivers what a knob has held back, one after the other; how many there were. */
  release(order: HeldOrder): Promise<number>;
  stop(): Promise<void>;
};

type Options = {
  pool: pg.Pool;
  webhookUrl: string;
  webhookSecret: string;
  healthUrl?: string;
  log: Logger;
};

/** Settles what is due and delivers events, once the receiver is up: at once when woken, else every second. */
export function startDeliveryLoop(options: Options): DeliveryLoop {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let nap = new AbortController();
  const wake = () => nap.abort();

  async function look() {
    if (await settleDue(options.pool)) wake();
    const due = await claimDueEvents(options.pool, MOST_AT_ONCE - underWay.size);
    for (const event of due) {
      const delivery = deliver(event, options, stopping.signal).finally(() => {
        underWay.delete(delivery);
        wake();
      });
      underWay.add(delivery);
    }
  }

  async function run() {
    if (options.healthUrl) await untilAnswering(options.healthUrl, stopping.signal);
    while (!stopping.signal.aborted) {
      nap = new AbortController();
      await look().catch((error: Error) =>
        options.log.error({ problem: reasonOf(error) }, 'looking'),
      );
      await sleep(LOOK_EVERY_MS, undefined, { signal: nap.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    wake,
    async release(order) {
      const held = await claimHeldEvents(options.pool, order);
      for (const event of held) await deliver(event, options, stopping.signal);
      return held.length;
    },
    async stop() {
      stopping.abort();
      wake();
      await running;
      await Promise.all(underWay);
    },
  };
}

async function untilAnswering(url: string, stopped: AbortSignal): Promise<void> {
  const isUp = () =>
    fetch(url, { signal: AbortSignal.any([stopped, AbortSignal.timeout(DEADLINE_MS)]) }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!stopped.aborted && !(await isUp())) {
    await sleep(ASK_EVERY_MS, undefined, { signal: stopped }).catch(() => undefined);
  }
}

async function deliver(event: DueEvent, options: Options, stopped: AbortSignal): Promise<void> {
  const { pool, log } = options;
  try {
    const copies = Array.from({ length: 1 + event.copies }, () => post(event, options, stopped));
    const problem = (await Promise.all(copies)).find((each) => each !== null) ?? null;
    if (problem === null) return await markDelivered(pool, event.id);
    log.warn({ event: event.id, attempt: event.attempts, problem }, 'event not delivered');
    await postpone(pool, event);
  } catch (error) {
    // The database is away: the lease of the event ends by itself.
    log.error({ event: event.id, problem: reasonOf(error) }, 'delivery not recorded');
  }
}

/** Returns null after a 2xx. */
async function post(event: DueEvent, options: Options, stopped: AbortSignal) {
  // The receiver compares this with its own machine's clock.
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = Buffer.from(`${timestamp}.${event.body}`);
  const signature = hmacSha256Hex(options.webhookSecret, signed);
  try {
    const response = await fetch(options.webhookUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': `t=${timestamp},v1=${signature}`,
        'user-agent': 'Gatehouse-Payment-Simulator/1.0',
      },
      body: event.body,
      signal: AbortSignal.any([stopped, AbortSignal.timeout(DEADLINE_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? null : `HTTP ${response.status}`;
  } catch (error) {
    const cause = (error as Error).cause as { message?: string } | undefined;
    return cause?.message ?? reasonOf(error);
  }
}

/** A code, never a text: the database quotes rows in some of its messages. */
export function reasonOf(error: unknown): string {
  const { cause, code, name } = error as NodeJS.ErrnoException & { cause?: { code?: string } };
  return cause?.code ?? code ?? name;
}

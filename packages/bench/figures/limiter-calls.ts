import { randomUUID } from 'node:crypto';
import type { Measurement } from '../figure.ts';
import { compareSides } from '../measure/rounds.ts';
import type { Calls } from '../servers/parts/calls.ts';
import type { ServerName } from '../start/servers.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const CALLS: Calls = {
  callers: 32,
  durationMs: 3_000,
  keys: Array.from({ length: 10_000 }, () => randomUUID()),
};

// Unlogged and with room for updates, as ours.
const POINTS = `
  create schema if not exists bench;
  create unlogged table if not exists bench.points
    (key text primary key, points integer not null default 0, expire bigint) with (fillfactor = 50)`;

/** Called without HTTP, whose cost both sides would have in common. */
export const limiterCalls: Measurement = {
  figures: figures('P10'),
  async measure(stage) {
    await stage.pool.query(POINTS);
    const rounds = await compareSides(stage, async () => ({
      ours: toSide(stage, 'limiter'),
      theirs: toSide(stage, 'rate-limiter-flexible'),
    }));
    return rounds.map(({ ours, theirs }) => ({ P10: ours / theirs }));
  },
};

function toSide({ servers, say }: Stage, name: ServerName) {
  const call = async () => {
    const server = await servers.get(name);
    return server.ask<number>(CALLS);
  };
  return {
    warmUp: call,
    async measure() {
      const perS = await call();
      say(`    ${name}: ${Math.round(perS)}/s`);
      return perS;
    },
  };
}

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { json } from '../http/response.ts';
import { defineRoute } from '../http/route.ts';
import type { Services } from '../services.ts';

const DATABASE_TIMEOUT_MS = 1_500;
const REMEMBERED_MS = 500;

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const version = z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;

const health = z
  .object({ status: z.literal('ok'), version: z.string(), uptime_s: z.int().nonnegative() })
  .meta({ id: 'Health', examples: [{ status: 'ok', version: '0.1.0', uptime_s: 86_400 }] });

const readiness = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.object({
      database: z.object({ ok: z.boolean(), latency_ms: z.number().nonnegative() }),
      temporal: z.object({ ok: z.boolean() }),
    }),
  })
  .meta({
    id: 'Readiness',
    examples: [
      {
        status: 'ok',
        checks: { database: { ok: true, latency_ms: 1.3 }, temporal: { ok: true } },
      },
      {
        status: 'unavailable',
        checks: { database: { ok: false, latency_ms: 1_500.2 }, temporal: { ok: true } },
      },
    ],
  });

const shared = { method: 'GET', credential: 'public', limit: null, input: {} } as const;
const documented = { tag: 'Health', errors: ['internal_error'] } as const;

const showHealth = defineRoute({
  ...shared,
  path: '/api/health',
  summary: 'Check that the process is alive',
  documentation: {
    ...documented,
    statuses: [200],
    operationId: 'getHealth',
    description: 'Asks nothing but the process itself.',
    output: health,
  },
  handler: () => json({ status: 'ok', version, uptime_s: Math.floor(process.uptime()) }),
});

export const showReadiness = defineRoute({
  ...shared,
  path: '/api/ready',
  summary: 'Check that the service is ready',
  documentation: {
    ...documented,
    statuses: [200, 503],
    operationId: 'getReadiness',
    output: readiness,
    description: 'Returns 503 while the database fails. The state of Temporal is only reported.',
  },
  async handler({ services }) {
    const checks = await readReadiness(services);
    const status = checks.database.ok ? 'ok' : 'unavailable';
    return json({ status, checks }, { status: checks.database.ok ? 200 : 503 });
  },
});

export type Readiness = Awaited<ReturnType<typeof check>>;

const latest = new WeakMap<Database, { checks: Promise<Readiness>; until: number }>();

/** Requests at the same moment and shortly after share one check. */
export function readReadiness(services: Services): Promise<Readiness> {
  const known = latest.get(services.database);
  if (known && performance.now() < known.until) return known.checks;
  const look = { checks: check(services), until: Infinity };
  latest.set(services.database, look);
  const remember = () => (look.until = performance.now() + REMEMBERED_MS);
  look.checks.then(remember, remember);
  return look.checks;
}

async function check({ database, temporal }: Services) {
  const [answer, isTemporalReachable] = await Promise.all([
    checkDatabase(database),
    temporal?.isReachable() ?? false,
  ]);
  return { database: answer, temporal: { ok: isTemporalReachable } };
}

async function checkDatabase({ pool }: Database) {
  const startedAt = performance.now();
  const isAnswered = pool.query('select 1').then(
    () => true,
    () => false,
  );
  const isTooLate = sleep(DATABASE_TIMEOUT_MS, false, { ref: false });
  const ok = await Promise.race([isAnswered, isTooLate]);
  return { ok, latency_ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}

export const routes = [showHealth, showReadiness];

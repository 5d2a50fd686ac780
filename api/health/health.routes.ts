import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../domain/platform/database.ts';
import { json } from '../answer.ts';
import { defineRoute } from '../route.ts';

const DATABASE_PATIENCE_MS = 1_500;

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
    ],
  });

const shared = {
  method: 'GET',
  credential: 'public',
  limit: null,
  input: {},
  errors: ['internal_error'],
} as const;

export const showHealth = defineRoute({
  ...shared,
  path: '/api/health',
  summary: 'Is the process alive?',
  statuses: [200],
  documentation: { tag: 'Health', output: health },
  handler: () => json({ status: 'ok', version, uptime_s: Math.floor(process.uptime()) }),
});

export const showReadiness = defineRoute({
  ...shared,
  path: '/api/ready',
  summary: 'Can it answer requests?',
  statuses: [200, 503],
  documentation: {
    tag: 'Health',
    output: readiness,
    description:
      'Answers 503 while the database fails. Temporal is reported only: what it misses is kept.',
  },
  async handler({ services }) {
    const [database, isTemporalReachable] = await Promise.all([
      checkDatabase(services.database),
      services.temporal?.isReachable() ?? false,
    ]);
    const checks = { database, temporal: { ok: isTemporalReachable } };
    const status = database.ok ? 'ok' : 'unavailable';
    return json({ status, checks }, { status: database.ok ? 200 : 503 });
  },
});

async function checkDatabase({ pool }: Database) {
  const startedAt = performance.now();
  const isAnswered = pool.query('select 1').then(
    () => true,
    () => false,
  );
  const isTooLate = sleep(DATABASE_PATIENCE_MS, false, { ref: false });
  const ok = await Promise.race([isAnswered, isTooLate]);
  return { ok, latency_ms: Math.round((performance.now() - startedAt) * 10) / 10 };
}

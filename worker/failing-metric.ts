// The metric of workflows whose tasks fail, which Temporal alone can count.
import { setTimeout } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { WORKFLOW_TYPES } from '../workflows/contracts.ts';

/** The types whose workflow tasks fail, with the number of their runs. */
export type ListFailing = () => Promise<{ workflowType: string; workflows: number }[]>;

/** Temporal answers few queries a second, and the console and `sweep` share them. */
const KEPT_MS = 15_000;
/** Shorter than the patience of whoever scrapes. */
const DEADLINE_MS = 2_000;

/** The metric is absent while Temporal does not respond. */
export function watchFailing(
  list: ListFailing,
  registers: Registry[],
  { keptMs = KEPT_MS, deadlineMs = DEADLINE_MS }: { keptMs?: number; deadlineMs?: number } = {},
): void {
  let last: { at: number; failing: ReturnType<typeof ask> } | null = null;

  function ask() {
    const late = setTimeout(deadlineMs, null);
    return Promise.race([list().catch(() => null), late]);
  }

  const gauge = new Gauge({
    name: 'gatehouse_workflows_failing',
    help: 'Runs whose workflow task failed several times in a row, by type; counted up to 1,000.',
    labelNames: ['workflow_type'],
    registers,
    async collect() {
      const now = performance.now();
      if (last === null || now - last.at >= keptMs) last = { at: now, failing: ask() };
      const failing = await last.failing;
      gauge.reset();
      if (failing === null) return;
      for (const type of WORKFLOW_TYPES) gauge.set({ workflow_type: type }, 0);
      for (const each of failing) gauge.set({ workflow_type: each.workflowType }, each.workflows);
    },
  });
}

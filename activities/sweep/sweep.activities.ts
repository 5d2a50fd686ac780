import { replaceAlerts } from '../../domain/alerts/alert.repository.ts';
import { sweepOverdue } from '../../domain/alerts/overdue.query.ts';
import type { Services } from '../services.ts';
import { listFailingWorkflows } from './failing-workflows.ts';

export function createSweepActivities(services: Services) {
  const { database, logger } = services;
  return {
    /**
     * Wakes the workflows of overdue rows, raises alerts for rows that messages did not help, and
     * returns the counts.
     */
    async sweepOverdue(): Promise<Record<string, number>> {
      const found = await database.transaction(async (em) => {
        const swept = await sweepOverdue(em);
        const stuck = swept.filter(({ stuck: n }) => n > 0);
        const alerts = stuck.map(({ kind: subject, stuck: overdue, since, oldest: workflow }) => ({
          subject,
          detail: { overdue, since, workflow },
        }));
        await replaceAlerts(em, 'work_overdue', alerts);
        return swept;
      });
      const late = found.filter(({ overdue }) => overdue > 0);
      return Object.fromEntries(late.map(({ kind, overdue }) => [kind, overdue]));
    },

    /**
     * Raises alerts for workflows whose tasks keep failing, as after a deploy that does not fit
     * their histories.
     */
    async watchWorkflows(): Promise<Record<string, number>> {
      const failing = await listFailingWorkflows(services).catch((error: unknown) => {
        logger.warn({ err: error }, 'Temporal does not say which workflows fail');
        return null;
      });
      if (failing === null) return {};
      const alerts = failing.map(({ workflowType: subject, ...detail }) => ({ subject, detail }));
      await database.transaction((em) => replaceAlerts(em, 'workflow_failing', alerts));
      return Object.fromEntries(failing.map((each) => [each.workflowType, each.workflows]));
    },
  };
}

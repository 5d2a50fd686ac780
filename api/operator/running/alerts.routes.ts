import { z } from 'zod';
import {
  listAlerts,
  resolveAlert,
  type AlertLine,
} from '../../../domain/alerts/alert.repository.ts';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { FAILING } from '../../../workflows/contracts.ts';
import { redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { workflowsUrl, workflowUrl } from '../../console/workflow-url.ts';
import { uuid, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, OPERATOR_PAGE, OPERATOR_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { ALERTS, writeWaiting } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { place } from '../../http/params.ts';
import { ALERTS_SHOWN, alertsPage } from './alerts.page.ts';

const showAlerts = defineRoute({
  ...OPERATOR_PAGE,
  path: ALERTS,
  summary: 'List alerts',
  input: { query: z.object({ show: z.enum(ALERTS_SHOWN).default('open'), before: place }) },
  async handler(context) {
    const { show, before } = context.query;
    const em = context.services.database.em();
    const found = await listAlerts(em, { isOpen: show === 'open', before });
    const token = sessionFormToken(context);
    const toUrl = (line: AlertLine) => urlInTemporal(context, line);
    return showOperatorPage(context, ({ alerts }) =>
      alertsPage({ show, before, found, open: writeWaiting(alerts), token, toUrl }),
    );
  },
});

/** Returns the page of Temporal with the workflows that an alert is about. */
function urlInTemporal(
  context: Parameters<typeof workflowUrl>[0],
  { kind, subject, detail }: AlertLine,
): string | null {
  if (kind === 'workflow_failing') {
    return workflowsUrl(context, `${FAILING} AND WorkflowType = "${subject}"`);
  }
  const workflowId = kind === 'work_overdue' ? detail['workflow'] : null;
  return typeof workflowId === 'string' ? workflowUrl(context, { workflowId }) : null;
}

const resolveOneAlert = defineRoute({
  ...OPERATOR_FORM,
  path: ALERTS,
  summary: 'Resolve an alert',
  proof: 'none',
  input: { body: formBody({ alert: uuid().toLowerCase() }) },
  async handler(context) {
    const by = actorOf(context);
    const { alert: id } = context.body;
    const isResolved = await context.services.database.transaction(async (em) => {
      const resolved = await resolveAlert(em, { id, personId: context.currentUser.personId });
      if (!resolved) return false;
      const { kind, subject } = resolved;
      await recordAudit(em, { by, action: 'alert.resolved', subject, detail: { kind } });
      return true;
    });
    return redirect(withNotice(ALERTS, isResolved ? 'alert_resolved' : 'unchanged'));
  },
});

export const routes = [showAlerts, resolveOneAlert];

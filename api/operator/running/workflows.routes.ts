import { workflowsUrl } from '../../console/workflow-url.ts';
import { defineRoute, OPERATOR_PAGE } from '../../http/route.ts';
import { WORKFLOWS } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { fillQuery, SAVED_QUERIES } from '../../console/saved-queries.ts';
import { workflowsPage } from './workflows.page.ts';

const showWorkflows = defineRoute({
  ...OPERATOR_PAGE,
  path: WORKFLOWS,
  summary: 'List queries of workflows',
  input: {},
  handler(context) {
    const now = new Date(); // Temporal's dates are those of the wall clock
    const lines = SAVED_QUERIES.filter(({ scope }) => scope === 'platform').map((saved) => {
      const query = fillQuery(saved, { now });
      return { title: saved.title, query, url: workflowsUrl(context, query) };
    });
    return showOperatorPage(context, workflowsPage(lines));
  },
});

export const routes = [showWorkflows];

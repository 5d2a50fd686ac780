import { workflowsUrl } from '../../console/workflow-url.ts';
import { page } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { WORKFLOWS } from '../operator.page.ts';
import { fillQuery, SAVED_QUERIES } from '../../console/saved-queries.ts';
import { workflowsPage } from './workflows.page.ts';

const showWorkflows = defineRoute({
  method: 'GET',
  path: WORKFLOWS,
  summary: 'List queries of workflows',
  credential: 'operator',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  handler(context) {
    const now = new Date(); // Temporal's dates are those of the wall clock
    const lines = SAVED_QUERIES.filter(({ scope }) => scope === 'platform').map((saved) => {
      const query = fillQuery(saved, { now });
      return { title: saved.title, query, url: workflowsUrl(context, query) };
    });
    return page(context, workflowsPage(lines));
  },
});

export const routes = [showWorkflows];

import type { WorkflowTarget } from '../../domain/outbox/workflow-targets.ts';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import type { RouteContext } from '../http/route.ts';

type HandlerContext = Pick<RouteContext, 'services'> & { currentUser: CurrentUser };

/**
 * The page of an actor in Temporal. Null for everybody but operators: Temporal's pages show the
 * workflows of all products. Null also where there is no such page.
 */
export function workflowUrl(
  context: HandlerContext,
  { workflowId }: Pick<WorkflowTarget, 'workflowId'>,
): string | null {
  return pageUrl(context, `/${encodeURIComponent(workflowId)}`);
}

/** The URL of Temporal's list for a query; null as above. */
export function workflowsUrl(context: HandlerContext, query: string): string | null {
  return pageUrl(context, `?query=${encodeURIComponent(query)}`);
}

function pageUrl({ services, currentUser }: HandlerContext, rest: string): string | null {
  const { uiUrl, namespace } = services.config.temporal;
  if (!uiUrl || !currentUser.isOperator) return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows${rest}`;
}

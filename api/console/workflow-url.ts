import type { Actor } from '../../domain/outbox/actors.ts';
import type { CurrentUser } from '../../domain/identity/identity.repository.ts';
import type { AnyCall } from '../route.ts';

type Call = Pick<AnyCall, 'services'> & { currentUser: CurrentUser };

/**
 * The page of an actor in Temporal. Null for everybody but operators: Temporal's pages show the
 * workflows of all products. Null also where there is no such page.
 */
export function workflowUrl(call: Call, { workflowId }: Pick<Actor, 'workflowId'>): string | null {
  return pageUrl(call, `/${encodeURIComponent(workflowId)}`);
}

/** Temporal's list of those that a query finds; null as above. */
export function workflowsUrl(call: Call, query: string): string | null {
  return pageUrl(call, `?query=${encodeURIComponent(query)}`);
}

function pageUrl({ services, currentUser }: Call, rest: string): string | null {
  const { uiUrl, namespace } = services.config.temporal;
  if (!uiUrl || !currentUser.isOperator) return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows${rest}`;
}

import type { Actor } from '../../domain/platform/outbox/actors.ts';
import type { Services } from '../services.ts';

/** Where an operator looks at an actor; null where there is no page of Temporal. */
export function workflowUrl({ config }: Services, { workflowId }: Actor): string | null {
  const { uiUrl, namespace } = config.temporal;
  if (!uiUrl) return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

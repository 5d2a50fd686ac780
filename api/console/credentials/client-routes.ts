// Where OAuth clients are looked after: a page of a product, or the operators' own for the platform's.
import type { HtmlSafeString } from '@prairielearn/html';
import type { AuditEntry } from '../../../domain/audit/audit.repository.ts';
import { listClients } from '../../../domain/oauth/clients/client-console.repository.ts';
import { page, redirect } from '../../response.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import type { AnyCall, Answer, View } from '../../route.ts';
import { clientList, type Edit, type FreshSecret } from './clients.page.ts';
import { EMPTY_DRAFT, type Draft } from './new-client.page.ts';

export type ClientArea = {
  /** Null for first-party clients. */
  productId: string | null;
  path: string;
  /** Why nothing may be changed here. */
  blockReason: string | null;
  /** What the audit trail says of whatever is done here. */
  entry: Pick<AuditEntry, 'by' | 'productId' | 'teamId'>;
  /** What is said where there is none yet. */
  emptyWords: string;
  frame: (content: HtmlSafeString) => View;
};

type Said = { problem?: string; fresh?: FreshSecret; draft?: Draft; edit?: Edit };

export async function showArea(
  call: AnyCall,
  { area, ...said }: Said & { area: ClientArea },
): Promise<Answer> {
  const { problem = null, fresh = null, draft = EMPTY_DRAFT, edit = null } = said;
  const { path, blockReason, emptyWords } = area;
  const content = clientList({
    path,
    blockReason,
    emptyWords,
    clients: await listClients(call.services.database.em(), area.productId),
    problem,
    fresh,
    draft,
    edit,
    formToken: sessionFormToken(call),
  });
  const isRefused = problem !== null || draft !== EMPTY_DRAFT || edit !== null;
  const view = { ...area.frame(content), showsSecret: fresh !== null };
  return page(call, view, isRefused ? { status: 422 } : {});
}

/** The page that says why nothing may be changed here; null where it may. */
export async function refuseClosed(call: AnyCall, area: ClientArea): Promise<Answer | null> {
  return area.blockReason === null ? null : { ...(await showArea(call, { area })), status: 422 };
}

export function backTo({ path }: ClientArea): Answer {
  return redirect(path);
}

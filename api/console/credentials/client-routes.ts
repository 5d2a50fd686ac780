// Where OAuth clients are looked after: a page of a product, or the operators' own for the platform's.
import type { HtmlSafeString } from '@prairielearn/html';
import type { Deed } from '../../../domain/audit/audit.repository.ts';
import { listClients } from '../../../domain/oauth/clients/client-console.repository.ts';
import { page, redirect } from '../../response.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import type { AnyCall, Answer, View } from '../../route.ts';
import { clientList, type Edit, type FreshSecret } from './clients.page.ts';
import { EMPTY_DRAFT, type Draft } from './new-client.page.ts';

export type ClientDesk = {
  /** Null for first-party clients. */
  productId: string | null;
  path: string;
  /** Why nothing may be changed here. */
  obstacle: string | null;
  /** What the audit trail says of whatever is done here. */
  deed: Pick<Deed, 'by' | 'productId' | 'teamId'>;
  /** What is said where there is none yet. */
  emptyWords: string;
  frame: (content: HtmlSafeString) => View;
};

type Said = { problem?: string; fresh?: FreshSecret; draft?: Draft; edit?: Edit };

export async function showDesk(
  call: AnyCall,
  { desk, ...said }: Said & { desk: ClientDesk },
): Promise<Answer> {
  const { problem = null, fresh = null, draft = EMPTY_DRAFT, edit = null } = said;
  const { path, obstacle, emptyWords } = desk;
  const content = clientList({
    path,
    obstacle,
    emptyWords,
    clients: await listClients(call.services.database.em(), desk.productId),
    problem,
    fresh,
    draft,
    edit,
    formToken: sessionFormToken(call),
  });
  const isRefused = problem !== null || draft !== EMPTY_DRAFT || edit !== null;
  return page(call, desk.frame(content), isRefused ? { status: 422 } : {});
}

/** The page that says why nothing may be changed here; null where it may. */
export async function refuseClosed(call: AnyCall, desk: ClientDesk): Promise<Answer | null> {
  return desk.obstacle === null ? null : { ...(await showDesk(call, { desk })), status: 422 };
}

export function backTo({ path }: ClientDesk): Answer {
  return redirect(path);
}

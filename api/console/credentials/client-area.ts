// Where OAuth clients are looked after: a page of a product, or the operators' own for the platform's.
import type { HtmlSafeString } from '@prairielearn/html';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import type { RouteContext, HttpResponse, View } from '../../http/route.ts';
import { readShown, showOnce } from '../shown-once.ts';
import { clientList, type Edit, type FreshSecret } from './clients.page.ts';
import type { ClientDraft } from './new-client.page.ts';

export type ClientArea = {
  /** The product; null for first-party clients. */
  productId: string | null;
  path: string;
  /** The reason why the page is read-only. */
  blockReason: string | null;
  /** Only clients with loopback redirect URIs are made and changed. */
  isTrial: boolean;
  /** The text of an empty list. */
  emptyWords: string;
  frame: (content: HtmlSafeString) => View | Promise<View>;
};

type PageState = { problem?: string; draft?: ClientDraft; edit?: Edit };

export async function showArea(
  context: RouteContext,
  { area, ...state }: PageState & { area: ClientArea },
) {
  const { problem = null, draft = null, edit = null } = state;
  const arrival = readShown<FreshSecret>(context);
  const { path, blockReason, isTrial, emptyWords } = area;
  const content = clientList({
    path,
    blockReason,
    isTrial,
    emptyWords,
    clients: await listClients(context.services.database.em(), area.productId),
    problem,
    arrival,
    draft,
    edit,
    formToken: sessionFormToken(context),
  });
  const isRefused = problem !== null || draft !== null || edit !== null;
  const shown = { showsSecret: Boolean(arrival?.shown), hasCopyButtons: true };
  const view = { ...(await area.frame(content)), ...shown };
  const cookies = arrival?.cookies ?? [];
  return page(context, view, { cookies, status: isRefused ? 422 : 200 });
}

/** The page with the reason why it is read-only; null if it is not. */
export async function refuseClosed(
  context: RouteContext,
  area: ClientArea,
): Promise<HttpResponse | null> {
  return area.blockReason === null ? null : { ...(await showArea(context, { area })), status: 422 };
}

export function showFresh(context: RouteContext, { path }: ClientArea, fresh: FreshSecret) {
  return showOnce(context, { path, id: fresh.clientId, shown: fresh });
}

export function backTo({ path }: ClientArea) {
  return redirect(path);
}

// The actions on OAuth clients, of a product and of the platform.
import { z } from 'zod';
import {
  changeClient,
  changeRedirectUris,
  registerClient,
  rotateClientSecret,
} from '../../../domain/oauth/clients/oauth-client.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { HttpError } from '../../http/errors.ts';
import { text, whole } from '../../http/fields.ts';
import type { RouteContext, SessionContext } from '../../http/route.ts';
import { managerOf, passCredentialRights } from '../managed-product.ts';
import { backTo, refuseClosed, showArea, showFresh, type ClientArea } from './client-area.ts';
import { LIVE_CLIENTS_WAIT } from './trial-notice.ts';

/** Four times this is twenty redirect URIs of the longest kind, with their line breaks. */
const lines = whole(10_250);

export const clientParameter = z.object({
  client: text(26),
});
export const newClientForm = z.object({ kind: text(16), name: text(80), redirect_uris: lines });
export const redirectUrisForm = z.object({ redirect_uris: lines });
export const changeForm = z.object({
  action: z.enum(['rotate', 'disable', 'enable', 'send_iss', 'omit_iss', 'delete']),
});

const PROBLEMS = {
  live: LIVE_CLIENTS_WAIT,
  too_many: 'You have reached the limit of 20 clients. Delete one first.',
  two_live:
    'This client already has two working secrets. You can rotate again when the older one expires.',
};

type InArea = { area: ClientArea; clientId: string };

export async function registerAt(
  context: SessionContext & { body: z.output<typeof newClientForm> },
  area: ClientArea,
) {
  const closed = await refuseClosed(context, area);
  if (closed) return closed;
  const { kind, name, redirect_uris: redirectUris } = context.body;
  const typed = { kind, name, redirectUris };
  const input = { productId: area.productId, typed, by: managerOf(context) };
  const created = await registerClient(context.services.database.em(), input);
  if ('problems' in created) {
    return showArea(context, { area, draft: { typed, problems: created.problems } });
  }
  if (isRefusal(created)) return refuse(context, area, passCredentialRights(created.refused));
  const { clientId, secret } = created;
  return secret === null ? backTo(area) : showFresh(context, area, { clientId, secret });
}

export async function changeAt(
  context: SessionContext & { body: z.output<typeof changeForm> },
  { area, clientId }: InArea,
) {
  const closed = await refuseClosed(context, area);
  if (closed) return closed;
  const { action } = context.body;
  const em = context.services.database.em();
  const client = { productId: area.productId, clientId, by: managerOf(context) };
  if (action === 'rotate') {
    const rotated = await rotateClientSecret(em, client);
    return isRefusal(rotated)
      ? refuse(context, area, passCredentialRights(rotated.refused))
      : showFresh(context, area, { clientId, ...rotated });
  }
  const changed = await changeClient(em, { ...client, change: action });
  return isRefusal(changed)
    ? refuse(context, area, passCredentialRights(changed.refused))
    : backTo(area);
}

export async function saveRedirectUrisAt(
  context: SessionContext & { body: z.output<typeof redirectUrisForm> },
  { area, clientId }: InArea,
) {
  const closed = await refuseClosed(context, area);
  if (closed) return closed;
  const typed = context.body.redirect_uris;
  const input = { productId: area.productId, clientId, typed, by: managerOf(context) };
  const changed = await changeRedirectUris(context.services.database.em(), input);
  if ('problem' in changed) {
    return showArea(context, { area, edit: { clientId, typed, problem: changed.problem } });
  }
  return isRefusal(changed)
    ? refuse(context, area, passCredentialRights(changed.refused))
    : backTo(area);
}

type Reason = keyof typeof PROBLEMS | 'unknown' | 'not_confidential';

/** The page with the reason why nothing was changed. */
function refuse(context: RouteContext, area: ClientArea, reason: Reason) {
  if (reason === 'unknown' || reason === 'not_confidential') throw new HttpError('not_found');
  return showArea(context, { area, problem: PROBLEMS[reason] });
}

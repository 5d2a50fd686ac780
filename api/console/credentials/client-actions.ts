// The actions on OAuth clients, each with its audit entry in the same transaction.
import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  changeClient,
  registerClient,
  type ClientChange,
  listRedirectUris,
  lockClient,
  replaceRedirectUris,
} from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { isLoopbackUri } from '../../../domain/oauth/clients/redirect-uri.ts';
import { rotateSecret } from '../../../domain/oauth/clients/client-secret.repository.ts';
import {
  decideRedirectUris,
  decideRegistration,
  type TypedClient,
} from '../../../domain/oauth/clients/client-registration.ts';
import { mailOwners } from '../../../domain/notifications/recipients.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { isRefusal, refuse } from '../../../domain/shared/refusal.ts';
import { HttpError } from '../../http/errors.ts';
import { text, whole } from '../../http/fields.ts';
import type { RouteContext, HttpResponse } from '../../http/route.ts';
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

const TOO_MANY = 'You have reached the limit of 20 clients. Delete one first.';
const TWO_LIVE =
  'This client already has two working secrets. You can rotate again when the older one expires.';

type InArea = { area: ClientArea; clientId: string };

export async function registerAt(
  context: RouteContext & { body: z.output<typeof newClientForm> },
  area: ClientArea,
): Promise<HttpResponse> {
  const closed = await refuseClosed(context, area);
  if (closed) return closed;
  const { kind, name, redirect_uris: redirectUris } = context.body;
  const typed = { kind, name, redirectUris };
  const created = await context.services.database.transaction((em) => register(em, area, typed));
  if ('problems' in created) {
    return showArea(context, { area, draft: { typed, problems: created.problems } });
  }
  if (isRefusal(created)) return showArea(context, { area, problem: TOO_MANY });
  const { clientId, secret } = created;
  return secret === null ? backTo(area) : showFresh(context, area, { clientId, secret });
}

async function register(em: EntityManager, area: ClientArea, typed: TypedClient) {
  const rights = await area.holdRights(em);
  const isFirstParty = area.productId === null;
  const decision = decideRegistration(typed, { ...rights, isFirstParty });
  if ('problems' in decision) return decision;
  const made = await registerClient(em, { productId: area.productId, ...decision });
  if (isRefusal(made)) return made;
  await audit(em, 'created', { area, clientId: made.clientId });
  if (made.secret !== null) await mailOwners(em, 'client_secret_made', area);
  return made;
}

export async function changeAt(
  context: RouteContext & { body: z.output<typeof changeForm> },
  { area, clientId }: InArea,
): Promise<HttpResponse> {
  const closed = await refuseClosed(context, area);
  if (closed) return closed;
  const { action } = context.body;
  if (action === 'rotate') return rotate(context, { area, clientId });
  const { productId } = area;
  const changed = await context.services.database.transaction(async (em) => {
    if (await isBeyondTrial(em, { area, clientId })) return 'live';
    const isChanged = await changeClient(em, { productId, clientId }, action);
    if (isChanged) await audit(em, action, { area, clientId });
    return isChanged ? 'changed' : 'unknown';
  });
  if (changed === 'live') return showArea(context, { area, problem: LIVE_CLIENTS_WAIT });
  if (changed === 'unknown') throw new HttpError('not_found');
  return backTo(area);
}

async function rotate(context: RouteContext, { area, clientId }: InArea): Promise<HttpResponse> {
  const { productId } = area;
  const rotated = await context.services.database.transaction(async (em) => {
    if (await isBeyondTrial(em, { area, clientId })) return refuse('live');
    const made = await rotateSecret(em, { productId, clientId });
    if (isRefusal(made)) return made;
    await audit(em, 'rotate', { area, clientId });
    await mailOwners(em, 'client_secret_made', area);
    return made;
  });
  if (!isRefusal(rotated)) return showFresh(context, area, { clientId, ...rotated });
  if (rotated.refused === 'live') return showArea(context, { area, problem: LIVE_CLIENTS_WAIT });
  if (rotated.refused !== 'two_live') throw new HttpError('not_found');
  return showArea(context, { area, problem: TWO_LIVE });
}

export async function saveRedirectUrisAt(
  context: RouteContext & { body: z.output<typeof redirectUrisForm> },
  { area, clientId }: InArea,
): Promise<HttpResponse> {
  const closed = await refuseClosed(context, area);
  if (closed) return closed;
  const typed = context.body.redirect_uris;
  const decision = await context.services.database.transaction((em) =>
    saveRedirectUris(em, { area, clientId, typed }),
  );
  if (decision === null) throw new HttpError('not_found');
  if ('refused' in decision) return showArea(context, { area, problem: LIVE_CLIENTS_WAIT });
  if (!('problem' in decision)) return backTo(area);
  return showArea(context, { area, edit: { clientId, typed, problem: decision.problem } });
}

/** Returns null for an unknown client. With a validation message nothing is changed. */
async function saveRedirectUris(
  em: EntityManager,
  { area, clientId, typed }: InArea & { typed: string },
) {
  const kind = await lockClient(em, { productId: area.productId, clientId });
  if (kind === null) return null;
  const { isTrial } = await area.holdRights(em);
  if (isTrial && !(await isLoopback(em, clientId))) return refuse('live');
  const decision = decideRedirectUris(typed, { kind, isTrial });
  if ('redirectUris' in decision) {
    await replaceRedirectUris(em, clientId, { kind, ...decision });
    await audit(em, 'redirect_uris', { area, clientId });
  }
  return decision;
}

/**
 * The client's redirect URIs and the rights cannot change until the transaction ends. They are locked
 * in the order of a consent: the client, then the person.
 */
async function isBeyondTrial(em: EntityManager, { area, clientId }: InArea): Promise<boolean> {
  if ((await lockClient(em, { ...area, clientId })) === null) return false;
  const { isTrial } = await area.holdRights(em);
  return isTrial && !(await isLoopback(em, clientId));
}

async function isLoopback(em: EntityManager, clientId: string): Promise<boolean> {
  return (await listRedirectUris(em, clientId)).every(isLoopbackUri);
}

async function audit(
  em: EntityManager,
  done: ClientChange | 'created' | 'rotate' | 'redirect_uris',
  { area, clientId }: InArea,
): Promise<void> {
  await recordAudit(em, { ...area.entry, action: `client.${done}`, subject: clientId });
}

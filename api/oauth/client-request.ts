import type { Context } from 'koa';
import type { Count } from '../../domain/limits/rate-window.query.ts';
import { cut } from '../../domain/shared/normalise.ts';
import type { TokenWindow } from '../../domain/oauth/tokens/exchange-code.repository.ts';
import { HttpError } from '../http/errors.ts';
import { readBody, readBytes } from '../http/body.ts';
import { callerAddress } from '../http/caller-address.ts';
import { limitNetworks, limitRequest, refuseOverLimit } from '../http/rate-limit.ts';
import { nameCaller } from '../http/request-log.ts';
import type { BareContext, HttpResponse } from '../http/route.ts';
import { oauthError } from './oauth-error.ts';
import { readKnown } from './read-parameters.ts';
import { MAX_LENGTHS } from './token.schema.ts';

/** One text for all, so that it tells nobody whether a client exists. */
export const CLIENT_UNPROVEN = 'the client is unknown or its credentials are wrong';

type ClientRequest = { given: ClientCredentials; fields: Fields };

/** The client's unverified request, or the error response for an unreadable one. */
export async function readClientRequest(ctx: Context): Promise<ClientRequest | HttpResponse> {
  const fields = await readFields(ctx);
  if (fields) return { fields, given: readClientCredentials(ctx.get('authorization'), fields) };
  const what = 'the body must be a form or a JSON object, each parameter given once as text';
  return oauthError('invalid_request', what);
}

type Counted = { given: ClientCredentials; limit: 'token' | 'revoke' };

/** The keys of the limits for a client's requests. */
export function windowOf({ ctx, services }: BareContext, name: 'token' | 'revoke'): TokenWindow {
  const { [name]: limit, client_unproven: addressLimit } = services.limits;
  return { name, limit, address: callerAddress(ctx.ip), addressLimit };
}

/** The rate of the client that is named, then its credentials; null where both are in order. */
export async function refuseClient(
  { ctx, services }: BareContext,
  {
    given,
    limit,
    client,
  }: Counted & {
    client: { isProven: boolean; isOwn: boolean; count: Count; limit: number } | null;
  },
): Promise<HttpResponse | null> {
  // Anybody can name a client: only what proves to be its own is kept in its log.
  if (client?.isOwn) nameCaller(ctx, { clientId: given.clientId! });
  if (client) refuseOverLimit(ctx, client);
  else await limitRequest(ctx, services, { name: limit, credentialId: null });
  // Its address is counted already, in the statement that looked the client up.
  if (client && !client.isOwn) await limitNetworks(ctx, services, 'client_unproven');
  if (given.isConflicting) {
    const what = 'the request must use one authentication method and name one client';
    return oauthError('invalid_request', what);
  }
  if (client?.isProven) return null;
  return oauthError('invalid_client', CLIENT_UNPROVEN);
}

async function readFields(ctx: Context): Promise<Fields | null> {
  const isJson = ctx.request.type.toLowerCase() === 'application/json';
  try {
    return pickFields(isJson ? await readBody(ctx, 'json') : await readForm(ctx));
  } catch (error) {
    if (error instanceof HttpError && error.code !== 'payload_too_large') return null;
    throw error;
  }
}

/** Each known parameter that is given; a repeated one stays a list. */
async function readForm(ctx: Context): Promise<Record<string, unknown> | null> {
  const text = (await readBytes(ctx, 'form')).toString('latin1');
  const values = readKnown(text, { names: Object.keys(MAX_LENGTHS), longest: Infinity });
  if (values === null) return null;
  const given = Object.entries(values).filter(([, { length }]) => length > 0);
  return Object.fromEntries(given.map(([name, all]) => [name, all.length > 1 ? all : all[0]]));
}

/** Unrecognised parameters are ignored, empty ones count as absent. */
function pickFields(body: unknown): Fields | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const given = new Map<string, unknown>(Object.entries(body));
  const fields: Record<string, string | null> = {};
  for (const [name, longest] of Object.entries(MAX_LENGTHS)) {
    const value = given.get(name) ?? '';
    if (typeof value !== 'string' || value.includes('\0')) return null;
    fields[name] = value === '' ? null : cut(value, longest);
  }
  return fields;
}

type Fields = Readonly<Record<string, string | null>>;

type ClientCredentials = {
  clientId: string | null;
  secret: string | null;
  /** Two ways at once, or two different clients. */
  isConflicting: boolean;
};

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;
const NOBODY = { clientId: null, secret: null, isConflicting: false };

/** Reads the credentials of a client: HTTP Basic, or the body (RFC 6749 2.3.1). */
function readClientCredentials(authorization: string, fields: Fields): ClientCredentials {
  const named = fields['client_id'] ?? null;
  const secret = fields['client_secret'] ?? null;
  if (authorization === '') return { clientId: named, secret, isConflicting: false };
  const basic = readBasic(authorization);
  if (!basic) return NOBODY;
  const isConflicting = secret !== null || (named !== null && named !== basic.clientId);
  return { ...basic, isConflicting };
}

/** Both halves are form-encoded by the standard; ours read the same where a client does not encode. */
function readBasic(authorization: string): { clientId: string; secret: string | null } | null {
  const encoded = BASIC.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(decodeBase64(encoded)) ?? [];
  if (!id || secret === undefined) return null;
  try {
    return { clientId: decodeForm(id), secret: decodeForm(secret) || null };
  } catch {
    return null;
  }
}

function decodeBase64(encoded = ''): string {
  return Buffer.from(encoded, 'base64').toString();
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

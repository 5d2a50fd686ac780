import type { Context } from 'koa';
import { admitClient } from '../../domain/identity/oauth/oauth-client.store.ts';
import { Failure } from '../errors.ts';
import { readBody } from '../middleware/body.ts';
import { limitRequest, requireRoom } from '../middleware/rate-limit.ts';
import type { AnyCall, Answer } from '../route.ts';
import { readClientCredentials, type Fields } from './client-credentials.ts';
import { oauthError } from './oauth-error.ts';

type ClientRequest = { clientId: string; fields: Fields };

const NAMES = [
  'grant_type',
  'code',
  'redirect_uri',
  'client_id',
  'client_secret',
  'code_verifier',
  'token',
];

/**
 * Reads a client's request and proves the client, or answers: size, type and content of the body,
 * then the rate of the client it names, then its credentials.
 */
export async function readClientRequest(
  { ctx, services }: AnyCall,
  limit: 'token' | 'revoke',
): Promise<ClientRequest | Answer> {
  const fields = await readFields(ctx);
  if (!fields) {
    const what = 'the body must be a form or a JSON object, each parameter given once as text';
    return oauthError('invalid_request', what);
  }
  const given = readClientCredentials(ctx.get('authorization'), fields);
  const client = await admitClient(services.database.pool, { ...given, window: limit });
  if (client) requireRoom(ctx, { limit: services.limits[limit], count: client.count });
  else await limitRequest(ctx, services, { name: limit, credentialId: null });
  if (given.isConflicting) {
    const what = 'the client must authenticate in one way, as one client';
    return oauthError('invalid_request', what);
  }
  if (client?.isProven && given.clientId !== null) return { clientId: given.clientId, fields };
  return oauthError('invalid_client', 'the client is unknown or its credentials are wrong');
}

async function readFields(ctx: Context): Promise<Fields | null> {
  const isJson = ctx.request.type.toLowerCase() === 'application/json';
  try {
    return pickFields(await readBody(ctx, { kind: isJson ? 'json' : 'form' }));
  } catch (fault) {
    if (fault instanceof Failure && fault.code !== 'payload_too_large') return null;
    throw fault;
  }
}

/** Unrecognised parameters are ignored, empty ones count as absent. */
function pickFields(body: unknown): Fields | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const given = new Map<string, unknown>(Object.entries(body));
  const fields: Record<string, string | null> = {};
  for (const name of NAMES) {
    const value = given.get(name) ?? '';
    if (typeof value !== 'string' || value.includes('\0')) return null;
    fields[name] = value === '' ? null : value;
  }
  return fields;
}

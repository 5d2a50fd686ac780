import { grantCode, takeRequest } from '../../domain/identity/oauth/code.store.ts';
import { findAuthorizeClient } from '../../domain/identity/oauth/oauth-client.store.ts';
import { isRegistered, withParameters } from '../../domain/identity/oauth/redirect-uri.ts';
import type { EntityManager } from '../../domain/platform/database.ts';
import { refuse, type Refusal } from '../../domain/platform/refusal.ts';

type Settlement = { personId: string; token: string; isAllowed: boolean; issuer: string };

const DENIED = { error: 'access_denied', error_description: 'the person did not allow it' };

/** Where the answered consent page leads: by the request as it was kept, and the client as it is now. */
export async function settleConsent(
  em: EntityManager,
  { personId, token, isAllowed, issuer }: Settlement,
): Promise<
  { location: string } | Refusal<'request_over' | 'client_unknown' | 'redirect_uri_unregistered'>
> {
  const kept = await takeRequest(em, personId, token);
  if (!kept) return refuse('request_over');
  const client = await findAuthorizeClient(em, kept.clientId);
  if (!client) return refuse('client_unknown');
  if (!isRegistered(kept.redirectUri, client)) return refuse('redirect_uri_unregistered');
  const outcome = isAllowed ? { code: await grantCode(em, personId, kept) } : DENIED;
  const iss = client.sendsIss ? issuer : null;
  return { location: withParameters(kept.redirectUri, { ...outcome, state: kept.state, iss }) };
}

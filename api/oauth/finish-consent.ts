import { grantCode } from '../../domain/oauth/grant-code.command.ts';
import { repeatCode } from '../../domain/oauth/consent.repository.ts';
import {
  consumeRequest,
  type ConsentAnswer,
  type KeptRequest,
} from '../../domain/oauth/authorization.repository.ts';
import {
  findAuthorizeClient,
  holdClient,
} from '../../domain/oauth/clients/oauth-client.repository.ts';
import { isRegistered, withParameters } from '../../domain/oauth/clients/redirect-uri.ts';
import { holdSession } from '../../domain/identity/session.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { refuse, type Refusal } from '../../domain/shared/refusal.ts';
import { unauthorized } from '../http/errors.ts';

const DENIED = { error: 'access_denied', error_description: 'the person did not allow access' };

/**
 * Returns where the answered consent page leads: by the request as it was kept, and the client as
 * it is now. `calledBack` is the product that gets a code; a form that was sent twice makes one
 * callback.
 */
export async function finishConsent(
  em: EntityManager,
  { issuer, ...answer }: ConsentAnswer & { issuer: string },
): Promise<
  | { location: string; calledBack: string | null }
  | Refusal<'request_over' | 'client_unknown' | 'redirect_uri_unregistered'>
> {
  const kept = await consumeRequest(em, answer);
  if (!kept) return refuse('request_over');
  // Its redirect URIs stay as they are until the code is written.
  await holdClient(em, kept.clientId);
  const client = await findAuthorizeClient(em, kept.clientId);
  if (!client) return refuse('client_unknown');
  if (!isRegistered(kept.redirectUri, client)) return refuse('redirect_uri_unregistered');
  const outcome = answer.decision === 'allow' ? await allow(em, answer, kept) : DENIED;
  if (outcome === null) return refuse('request_over');
  const iss = client.sendsIss ? issuer : null;
  const calledBack = 'code' in outcome && !kept.isRepeated ? client.productId : null;
  const location = withParameters(kept.redirectUri, { ...outcome, state: kept.state, iss });
  return { location, calledBack };
}

async function allow(em: EntityManager, answer: ConsentAnswer, kept: KeptRequest) {
  const { personId, session: token } = answer;
  const code = await (kept.isRepeated ? repeatCode : grantCode)(em, personId, kept);
  // Locks the session last: a password reset locks consents, then the person. If the reset ended
  // the session, this request gets 401.
  if (!(await holdSession(em, { personId, token }))) throw unauthorized({ wasGiven: false });
  return code === null ? null : { code };
}

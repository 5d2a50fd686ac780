import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { holdSession } from '../identity/session.repository.ts';
import { LateRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { recordEvent } from '../webhooks/event.repository.ts';
import {
  consumeRequest,
  writeCode,
  type CodeRequest,
  type ConsentAnswer,
} from './authorization.repository.ts';
import { findAuthorizeClient, holdClient } from './clients/oauth-client.repository.ts';
import { isRegistered } from './registered-redirect.ts';
import { repeatCode, writeConsent } from './consent.repository.ts';

/** The way on from a consent page, by the request as it was kept and the client as it is now. */
type AnsweredConsent = {
  redirectUri: string;
  state: string | null;
  sendsIss: boolean;
  /** Is null when the person does not allow access. */
  code: string | null;
  /** The product that gets a code; of a form that was sent twice it is one callback. */
  calledBack: string | null;
};

/** Answers a consent page: a refusal uses the request up, except that of an ended session. */
export async function answerConsent(
  em: EntityManager,
  answer: ConsentAnswer,
): Promise<
  | AnsweredConsent
  | Refusal<'request_over' | 'client_unknown' | 'redirect_uri_unregistered' | 'session_ended'>
> {
  return inTransaction(em, async (em) => {
    const { personId, session, decision } = answer;
    const request = await consumeRequest(em, answer);
    if (!request) return refuse('request_over');
    const { clientId, redirectUri, state, isRepeated } = request;
    // Its redirect URIs stay as they are until the code is written.
    await holdClient(em, clientId);
    const client = await findAuthorizeClient(em, clientId);
    if (!client) return refuse('client_unknown');
    if (!isRegistered(redirectUri, client)) return refuse('redirect_uri_unregistered');
    const shared = { redirectUri, state, sendsIss: client.sendsIss };
    if (decision === 'deny') return { ...shared, code: null, calledBack: null };
    const code = await (isRepeated ? repeatCode : grantCode)(em, personId, request);
    // Locks the session last: a password reset locks consents, then the person.
    if (!(await holdSession(em, { personId, token: session }))) {
      throw new LateRefusal('session_ended');
    }
    if (code === null) return refuse('request_over');
    return { ...shared, code, calledBack: isRepeated ? null : client.productId };
  });
}

/**
 * Writes the person's consent and a code for it. The product is notified when the person had no live
 * authorization of this client, or allows more than before. A first-party client has no product.
 */
export async function grantCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string> {
  return inTransaction(em, async (em) => {
    const { productId, scopes, grantedAt, isCovered } = await writeConsent(em, personId, request);
    if (productId !== null && !isCovered) {
      await recordEvent(em, {
        productId,
        name: 'authorization.granted',
        data: {
          user_id: personId,
          product_id: productId,
          scopes,
          occurred_at: grantedAt.toISOString(),
        },
      });
    }
    return writeCode(em, personId, request);
  });
}

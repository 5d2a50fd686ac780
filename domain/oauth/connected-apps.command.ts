// The ways in which consents end. The product of a live one is notified in the same transaction.
import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordEvent } from '../webhooks/event.repository.ts';
import {
  deleteAuthorizations,
  revokeConsents,
  type EndedConsent,
} from './connected-apps.repository.ts';
import { markConsentsEnded, revokeConsentsToDeletedClients } from './deleted-clients.query.ts';

/** Revokes an app for a person. Returns false when it had no live consent. */
export async function revokeConsent(
  em: EntityManager,
  consent: { personId: string; clientId: string },
): Promise<boolean> {
  return inTransaction(em, async (em) => {
    const ended = await revokeConsents(em, consent);
    await notifyProducts(em, ended);
    return ended.length > 0;
  });
}

/** Ends all authorizations of a person. */
export async function endAuthorizations(em: EntityManager, personId: string): Promise<void> {
  return inTransaction(em, async (em) => {
    await notifyProducts(em, await deleteAuthorizations(em, personId));
  });
}

/** Revokes one batch of consents to deleted clients, and returns their number. */
export async function endConsentsOfDeletedClients(em: EntityManager): Promise<number> {
  return inTransaction(em, async (em) => {
    const ended = await revokeConsentsToDeletedClients(em);
    await notifyProducts(em, ended);
    if (ended.length === 0) await markConsentsEnded(em);
    return ended.length;
  });
}

/** Records the event of each consent; a first-party client has no product to notify. */
async function notifyProducts(em: EntityManager, ended: EndedConsent[]): Promise<void> {
  for (const { personId, productId, scopes, endedAt } of ended) {
    if (productId === null) continue;
    await recordEvent(em, {
      productId,
      name: 'authorization.revoked',
      data: {
        user_id: personId,
        product_id: productId,
        scopes,
        occurred_at: endedAt.toISOString(),
      },
    });
  }
}

// The consents to deleted clients, which are revoked in batches.
import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';

const BATCH = 100;

/**
 * Revokes one batch of consents to deleted clients. A row that another transaction holds is left to
 * it, or to the next batch: an account that is deleted holds several of them.
 */
export async function revokeConsentsToDeletedClients(em: EntityManager) {
  const live = kysely(em)
    .selectFrom('oauthClient as client')
    .innerJoin('consent as live', 'live.clientId', 'client.id')
    .select(['live.personId', 'live.clientId', 'client.productId', 'client.deletedAt'])
    .where('client.deletedAt', 'is not', null)
    .where('client.consentsEndedAt', 'is', null)
    .where('live.revokedAt', 'is', null)
    .limit(BATCH)
    .forUpdate('live')
    .skipLocked();
  return kysely(em)
    .updateTable('consent')
    .from(live.as('ending'))
    .set(({ ref }) => ({ revokedAt: ref('ending.deletedAt') }))
    .whereRef('consent.personId', '=', 'ending.personId')
    .whereRef('consent.clientId', '=', 'ending.clientId')
    .returning(['consent.personId', 'consent.scopes', 'ending.productId'])
    .returning(({ ref }) => ref('ending.deletedAt').$notNull().as('endedAt'))
    .execute();
}

/** Nobody consents to a deleted client, so once no live consent is left there will be none. */
export async function markConsentsEnded(em: EntityManager): Promise<void> {
  await kysely(em)
    .updateTable('oauthClient')
    .set({ consentsEndedAt: NOW })
    .where('deletedAt', 'is not', null)
    .where('consentsEndedAt', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('consent')
            .select('consent.personId')
            .whereRef('consent.clientId', '=', 'oauthClient.id')
            .where('consent.revokedAt', 'is', null),
        ),
      ),
    )
    .execute();
}

import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { iconHashOf } from '../catalog/pictures/picture.repository.ts';
import { kysely } from '../kysely.ts';
import { AuthorizationCode, PendingAuthorization } from './authorization.entity.ts';
import { productOfClient } from './consent.repository.ts';

/** Lists the person's connected apps, the latest consent first. */
export async function listConnectedApps(em: EntityManager, personId: string) {
  return kysely(em)
    .selectFrom('consent')
    .innerJoin('oauthClient as client', 'client.id', 'consent.clientId')
    .leftJoin('product', 'product.id', 'client.productId')
    .leftJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['consent.clientId', 'consent.scopes', 'consent.grantedAt'])
    .select(['client.name', 'product.name as productName', 'slug.slug'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .where('consent.personId', '=', personId)
    .where('consent.revokedAt', 'is', null)
    .where('client.deletedAt', 'is', null)
    .orderBy('consent.grantedAt', 'desc')
    .orderBy('consent.clientId')
    .limit(200)
    .execute();
}

export type ConnectedApp = Awaited<ReturnType<typeof listConnectedApps>>[number];

/** Revokes an app's access: the consent first, so that no exchange under way outlives it. */
export async function revokeConsents(
  em: EntityManager,
  { personId, clientId }: { personId: string; clientId: string },
) {
  const revoked = await kysely(em)
    .updateTable('consent')
    .set({ revokedAt: NOW })
    .where('personId', '=', personId)
    .where('clientId', '=', clientId)
    .where('revokedAt', 'is', null)
    .returning(['consent.personId', 'consent.scopes'])
    .returning([productOfClient().as('productId'), NOW.as('endedAt')])
    .execute();
  await revokeTokens(em, personId).where('clientId', '=', clientId).execute();
  await em.nativeDelete(AuthorizationCode, { personId, clientId, consumedAt: null });
  return revoked;
}

/** A consent that was live until now; a first-party client has no product. */
export type EndedConsent = Awaited<ReturnType<typeof revokeConsents>>[number];

/**
 * Removes all authorizations of a person: requests before consents, consents before codes and tokens.
 * Consent pages and exchanges lock them in this order, so none outlives its end. Revoked tokens
 * stay, because they are answered 404. Returns the consents that were live.
 */
export async function deleteAuthorizations(em: EntityManager, personId: string) {
  await em.nativeDelete(PendingAuthorization, { personId });
  const deleted = await kysely(em)
    .deleteFrom('consent')
    .where('personId', '=', personId)
    .returning(['consent.personId', 'consent.scopes', 'consent.revokedAt'])
    .returning([productOfClient().as('productId'), NOW.as('endedAt')])
    .execute();
  await em.nativeDelete(AuthorizationCode, { personId });
  await revokeTokens(em, personId).execute();
  return deleted.filter(({ revokedAt }) => revokedAt === null);
}

const revokeTokens = (em: EntityManager, personId: string) =>
  kysely(em)
    .updateTable('accessToken')
    .set({ revokedAt: NOW })
    .where('personId', '=', personId)
    .where('revokedAt', 'is', null);

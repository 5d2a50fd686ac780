import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { AuthorizationCode, Consent, PendingAuthorization } from './authorization.entity.ts';
import { readScopes, type Scope } from './scope.ts';
import { writeCode, type CodeRequest } from './authorization.repository.ts';

/** Writes the person's consent and a code for it in one transaction. */
export async function grantCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string> {
  const { clientId, scope } = request;
  const granted = { scopes: readScopes(scope), grantedAt: NOW, revokedAt: null };
  await kysely(em)
    .insertInto('consent')
    .values({ personId, clientId, ...granted })
    .onConflict((conflict) => conflict.columns(['personId', 'clientId']).doUpdateSet(granted))
    .execute();
  return writeCode(em, personId, request);
}

/** A second click gets a code only while the first consent stands. */
export async function repeatCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string | null> {
  const consent = await kysely(em)
    .selectFrom('consent')
    .select('grantedAt')
    .where('personId', '=', personId)
    .where('clientId', '=', request.clientId)
    .where('revokedAt', 'is', null)
    .forShare()
    .executeTakeFirst();
  return consent ? writeCode(em, personId, request) : null;
}

export type ConnectedApp = {
  clientId: string;
  name: string;
  productName: string | null;
  scopes: Scope[];
  grantedAt: Date;
};

/** The person's connected apps, the latest consent first. */
export async function listConnectedApps(
  em: EntityManager,
  personId: string,
): Promise<ConnectedApp[]> {
  return kysely(em)
    .selectFrom('consent')
    .innerJoin('oauthClient as client', 'client.id', 'consent.clientId')
    .leftJoin('product', 'product.id', 'client.productId')
    .select(['consent.clientId', 'consent.scopes', 'consent.grantedAt'])
    .select(['client.name', 'product.name as productName'])
    .where('consent.personId', '=', personId)
    .where('consent.revokedAt', 'is', null)
    .where('client.deletedAt', 'is', null)
    .orderBy('consent.grantedAt', 'desc')
    .orderBy('consent.clientId')
    .limit(200)
    .execute();
}

/** Revokes an app's access: the consent first, so that no exchange under way outlives it. */
export async function revokeConsent(
  em: EntityManager,
  { personId, clientId }: { personId: string; clientId: string },
): Promise<boolean> {
  const revoked = await kysely(em)
    .updateTable('consent')
    .set({ revokedAt: NOW })
    .where('personId', '=', personId)
    .where('clientId', '=', clientId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  await revokeTokens(em, personId).where('clientId', '=', clientId).execute();
  await em.nativeDelete(AuthorizationCode, { personId, clientId, consumedAt: null });
  return revoked.numUpdatedRows === 1n;
}

/**
 * Ends all authorizations of a person: requests before consents, consents before codes and tokens.
 * Consent pages and exchanges lock them in this order, so none outlives its end. Revoked tokens
 * stay, because they are answered 404.
 */
export async function endAuthorizations(em: EntityManager, personId: string): Promise<void> {
  await em.nativeDelete(PendingAuthorization, { personId });
  await em.nativeDelete(Consent, { personId });
  await em.nativeDelete(AuthorizationCode, { personId });
  await revokeTokens(em, personId).execute();
}

const revokeTokens = (em: EntityManager, personId: string) =>
  kysely(em)
    .updateTable('accessToken')
    .set({ revokedAt: NOW })
    .where('personId', '=', personId)
    .where('revokedAt', 'is', null);

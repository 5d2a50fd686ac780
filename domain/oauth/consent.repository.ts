import { expressionBuilder, sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';
import { readScopes } from './scope.ts';
import { writeCode, type CodeRequest } from './authorization.repository.ts';

const { selectFrom } = expressionBuilder<Tables, 'consent'>();

/** The product of a consent's client; a first-party client has none. */
export const productOfClient = () =>
  selectFrom('oauthClient')
    .select('oauthClient.productId')
    .whereRef('oauthClient.id', '=', 'consent.clientId');

/**
 * Writes the person's consent. Of two at once the second waits for the row and sees the first.
 * `isCovered`: the consent before was live and allowed all of these scopes.
 */
export async function writeConsent(
  em: EntityManager,
  personId: string,
  { clientId, scope }: Pick<CodeRequest, 'clientId' | 'scope'>,
) {
  const granted = { scopes: readScopes(scope), grantedAt: NOW, revokedAt: null };
  return kysely(em)
    .insertInto('consent')
    .values({ personId, clientId, ...granted })
    .onConflict((conflict) => conflict.columns(['personId', 'clientId']).doUpdateSet(granted))
    .returning(['consent.scopes', 'consent.grantedAt'])
    .returning(productOfClient().as('productId'))
    .returning(
      sql<boolean>`coalesce(old.revoked_at is null and old.scopes @> new.scopes, false)`.as(
        'isCovered',
      ),
    )
    .executeTakeFirstOrThrow();
}

/** Writes another code for a second click, while the first consent stands. */
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

import { expressionBuilder, type ExpressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { kysely, type Tables } from '../../kysely.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { hashCredential, newCredential } from '../../shared/ids.ts';

/** A client within its product: a client of another product is not found. */
export type ClientKey = { productId: string | null; clientId: string };

/** The slots of a locked client's secrets that work. */
export async function listLiveSlots(em: EntityManager, clientId: string): Promise<number[]> {
  const live = await kysely(em)
    .selectFrom('clientSecret')
    .select('slot')
    .where('clientId', '=', clientId)
    .where(isLiveSecret)
    .execute();
  return live.map(({ slot }) => slot);
}

/** Ends the current secret after the overlap. */
export async function expireReplacedSecret(
  em: EntityManager,
  { clientId, overlap }: { clientId: string; overlap: string },
): Promise<void> {
  await kysely(em)
    .updateTable('clientSecret')
    .set({ expiresAt: fromNow(overlap) })
    .where('clientId', '=', clientId)
    .where('expiresAt', 'is', null)
    .execute();
}

export async function writeSecret(
  em: EntityManager,
  clientId: string,
  slot: number,
): Promise<string> {
  const secret = newCredential('gcs_');
  const written = { secretHash: hashCredential(secret), lastFour: secret.slice(-4) };
  await kysely(em)
    .insertInto('clientSecret')
    .values({ clientId, slot, ...written })
    .onConflict((conflict) =>
      conflict
        .columns(['clientId', 'slot'])
        .doUpdateSet({ ...written, createdAt: NOW, expiresAt: null }),
    )
    .execute();
  return secret;
}

const isLiveSecret = ({ eb, or }: ExpressionBuilder<Tables, 'clientSecret'>) =>
  or([eb('expiresAt', 'is', null), eb('expiresAt', '>', NOW)]);

/** A secret's last four characters alone. */
export type SecretView = { lastFour: string; expiresAt: string | null };

const ofClient = expressionBuilder<Tables & { client: Tables['oauthClient'] }, 'client'>();

/** SQL: the working secrets of `client`, the newest first. */
export const LIVE_SECRETS = ofClient.fn<SecretView[]>('array', [
  ofClient
    .selectFrom('clientSecret')
    .select(({ ref }) =>
      jsonBuildObject({ lastFour: ref('lastFour'), expiresAt: ref('expiresAt') }).as('secret'),
    )
    .whereRef('clientId', '=', 'client.id')
    .where(isLiveSecret)
    .orderBy('createdAt', 'desc'),
]);

import { expressionBuilder, type ExpressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { kysely, type Tables } from '../../kysely.ts';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { hashCredential, newCredential } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { OauthClient } from './oauth-client.entity.ts';

/** A client within its product: a client of another product is not found. */
export type ClientKey = { productId: string | null; clientId: string };

const OVERLAP = '48 hours';

/** Adds a secret beside the old one, which keeps working for 48 hours; at most two are live. */
export async function rotateSecret(
  em: EntityManager,
  { productId, clientId }: ClientKey,
): Promise<{ secret: string } | Refusal<'unknown' | 'two_live' | 'not_confidential'>> {
  const client = await em.findOne(OauthClient, { id: clientId, productId, deletedAt: null }, LOCK);
  if (!client) return refuse('unknown');
  if (client.kind !== 'confidential') return refuse('not_confidential');
  const live = await kysely(em)
    .selectFrom('clientSecret')
    .select('slot')
    .where('clientId', '=', clientId)
    .where(isLiveSecret)
    .execute();
  const free = [1, 2].find((slot) => live.every((secret) => secret.slot !== slot));
  if (free === undefined) return refuse('two_live');
  await kysely(em)
    .updateTable('clientSecret')
    .set({ expiresAt: fromNow(OVERLAP) })
    .where('clientId', '=', clientId)
    .where('expiresAt', 'is', null)
    .execute();
  return { secret: await writeSecret(em, clientId, free) };
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

/** Lists the secrets of a client `client`, the newest first. */
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

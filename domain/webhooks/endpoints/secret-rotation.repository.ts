// The secrets of an endpoint: the current one, and the previous one for a while after a rotation.
import { expressionBuilder, sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { newSecret } from '../../shared/ids.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { decryptEndpointSecret } from './endpoint-secret-encryption.ts';
import { updateEndpoint, type EndpointKey } from './endpoint.repository.ts';

/** An HMAC key, prefix included. The row stores it encrypted, because signing needs it. */
export function newEndpointSecret(): string {
  return `whsec_${newSecret()}`;
}

/** Names the current secret without revealing it. */
export const secretVersion = sql<string>`left(encode(sha256(convert_to(encrypted_secret, 'UTF8')), 'hex'), 16)`;

/** Is null when the previous secret signs no more. */
export function previousUntil() {
  const { eb, ref } = expressionBuilder<Tables, 'webhookEndpoint'>();
  return eb.case().when('previousUntil', '>', NOW).then(ref('previousUntil')).end();
}

type Rotation = { encryptedSecret: string; replaces: string; windowDays: number };

/**
 * The current secret becomes the previous one, which signs too until the window ends; an older
 * previous secret signs no more. Of two clicks one replaces the secret that both have seen.
 */
export async function rotateSecret(
  em: EntityManager,
  key: EndpointKey,
  { encryptedSecret, replaces, windowDays }: Rotation,
): Promise<boolean> {
  const rotated = await updateEndpoint(em, key)
    .set(({ ref }) => ({
      encryptedSecret,
      previousEncryptedSecret: windowDays > 0 ? ref('encryptedSecret') : null,
      previousUntil: windowDays > 0 ? fromNow(`${windowDays} days`) : null,
    }))
    .where(secretVersion, '=', replaces)
    .executeTakeFirst();
  return rotated.numUpdatedRows === 1n;
}

export type Secrets = {
  current: string;
  /** Set while it signs too. */
  previous: { secret: string; until: Date } | null;
};

export async function openSecrets(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
  encryptor: Encryptor,
): Promise<Secrets | null> {
  const found = await kysely(em)
    .selectFrom('webhookEndpoint')
    .select(['encryptedSecret', 'previousEncryptedSecret', previousUntil().as('until')])
    .where('id', '=', endpointId)
    .where('productId', '=', productId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (!found) return null;
  const { encryptedSecret, previousEncryptedSecret, until } = found;
  const open = (encrypted: string) => decryptEndpointSecret(encryptor, endpointId, encrypted);
  const previous =
    until === null || previousEncryptedSecret === null
      ? null
      : { secret: open(previousEncryptedSecret), until };
  return { current: open(encryptedSecret), previous };
}

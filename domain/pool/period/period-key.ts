import { newSecret } from '../../shared/ids.ts';
import type { EncryptedPlace, Encryptor } from '../../shared/secrets.ts';
import { createHmacHex } from '../../shared/sha256.ts';
import { pseudonymOf } from '../snapshot/pseudonym.ts';
import type { ProductDays } from '../split/pool-rule.ts';

const placeOf = (periodId: string): EncryptedPlace => ({
  column: 'pool_period.encrypted_key',
  rowId: periodId,
});

/** A new key of 256 random bits, for its `encryptedKey`: committed with the row, before anything is frozen. */
export function newEncryptedPoolKey(encryptor: Encryptor, periodId: string): string {
  return encryptor.encrypt(newSecret(), placeOf(periodId));
}

/** The ids of Members and products in the snapshot of one period. */
export type Pseudonyms = {
  ofMember(personId: string): string;
  ofProduct(productId: string): string;
};

/** Opens the ids of an earlier period. */
export type OpenKey = (period: { id: string; encryptedKey: string }) => Pseudonyms;

export function openPoolKey(
  encryptor: Encryptor,
  { id, encryptedKey }: { id: string; encryptedKey: string },
): Pseudonyms {
  const hmac = createHmacHex(Buffer.from(encryptor.decrypt(encryptedKey, placeOf(id))));
  return {
    ofMember: (personId) => pseudonymOf(hmac, { kind: 'member', id: personId }),
    ofProduct: (productId) => pseudonymOf(hmac, { kind: 'product', id: productId }),
  };
}

/** The products with a day, under their ids in the snapshot. */
export function nameUsed(
  { ofProduct }: Pseudonyms,
  { productIds, days }: { productIds: readonly string[]; days: readonly number[] },
): ProductDays[] {
  return productIds
    .map((id, place) => ({ product: ofProduct(id), days: days[place]! }))
    .filter((used) => used.days > 0);
}

/**
 * Encrypts the key again with the first of the encryption keys; null when none of them opens it.
 */
export function reencryptPoolKey(
  encryptor: Encryptor,
  { id, encryptedKey }: { id: string; encryptedKey: string },
): string | null {
  try {
    return encryptor.encrypt(encryptor.decrypt(encryptedKey, placeOf(id)), placeOf(id));
  } catch {
    return null;
  }
}

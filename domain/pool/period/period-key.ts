import { randomBytes } from 'node:crypto';
import type { SealedPlace, Sealer } from '../../shared/secrets.ts';
import { createHmacHex } from '../../shared/sha256.ts';
import { pseudonymOf } from '../snapshot/pseudonym.ts';

const KEY_BYTES = 32;

const placeOf = (periodId: string): SealedPlace => ({
  column: 'pool_period.sealed_key',
  rowId: periodId,
});

/** A new key of a period, for its `sealedKey`: committed with the row, before anything is frozen. */
export function newSealedPoolKey(sealer: Sealer, periodId: string): string {
  return sealer.seal(randomBytes(KEY_BYTES).toString('base64'), placeOf(periodId));
}

/** The ids of Members and products in the snapshot of one period. */
export type Pseudonyms = {
  ofMember(personId: string): string;
  ofProduct(productId: string): string;
};

export function openPoolKey(
  sealer: Sealer,
  { id, sealedKey }: { id: string; sealedKey: string },
): Pseudonyms {
  const hmac = createHmacHex(Buffer.from(sealer.open(sealedKey, placeOf(id)), 'base64'));
  return {
    ofMember: (personId) => pseudonymOf(hmac, { kind: 'member', id: personId }),
    ofProduct: (productId) => pseudonymOf(hmac, { kind: 'product', id: productId }),
  };
}

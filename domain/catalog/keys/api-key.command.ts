// Changes of a product's API keys. A product has at most twenty working keys, replaced ones included:
// new keys of a product wait for the product's row.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { mailOwners } from '../../notifications/recipients.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { holdCredentialRights, type HeldRights } from '../credential-trial.command.ts';
import type { CredentialRefusal } from '../credential-trial.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import type { ActingManager } from '../product.repository.ts';
import {
  countWorkingKeys,
  expireReplacedKey,
  findKeyMode,
  insertKey,
  setRevoked,
  type FreshKey,
  type KeyReference,
  type NewKey,
} from './api-key.repository.ts';

const MOST_KEYS = 20;

type Change = { productId: string; by: ActingManager };

/** A live key is not for a trial. */
type KeyRefusal = CredentialRefusal | 'live';

/** Creates a key, which the person sees once. */
export async function createKey(
  em: EntityManager,
  { by, ...key }: NewKey & Change,
): Promise<FreshKey | Refusal<KeyRefusal | 'too_many'>> {
  return inTransaction(em, async (em) => {
    const { productId, mode, name } = key;
    const rights = await holdCredentialRights(em, { productId, by });
    if (isRefusal(rights)) return rights;
    const { isTrial, teamId } = rights;
    if (isTrial && mode === 'live') return refuse('live');
    await lockProduct(em, productId);
    if ((await countWorkingKeys(em, productId)) >= MOST_KEYS) return refuse('too_many');
    const made = await insertKey(em, key);
    const entry = { action: 'key.created', subject: made.keyId, detail: { mode, name } } as const;
    await recordAudit(em, { by, productId, teamId, ...entry });
    await mailOwners(em, 'key_made', { productId });
    return made;
  });
}

/** The time for which a replaced key still works. */
const OVERLAP = '48 hours';

/** Replaces a key with a new one of its mode and name; the old key works on for the overlap. */
export async function rotateKey(
  em: EntityManager,
  { by, ...key }: KeyReference & Change,
): Promise<FreshKey | Refusal<KeyRefusal | 'replaced' | 'too_many'>> {
  return inTransaction(em, async (em) => {
    const { productId, keyId } = key;
    const rights = await holdRightsToOne(em, { ...key, by });
    if (isRefusal(rights)) return rights;
    await lockProduct(em, productId);
    if ((await countWorkingKeys(em, productId)) >= MOST_KEYS) return refuse('too_many');
    const replaced = await expireReplacedKey(em, { ...key, overlap: OVERLAP });
    if (!replaced) return refuse('replaced');
    const made = await insertKey(em, { productId, ...replaced });
    const entry = { action: 'key.rotated', subject: keyId, detail: { new: made.keyId } } as const;
    await recordAudit(em, { by, productId, teamId: rights.teamId, ...entry });
    await mailOwners(em, 'key_made', { productId });
    return made;
  });
}

/** Revokes a key, which is refused from now on. */
export async function revokeKey(
  em: EntityManager,
  { by, ...key }: KeyReference & Change,
): Promise<{ revoked: true } | Refusal<KeyRefusal | 'unknown'>> {
  return inTransaction(em, async (em) => {
    const { productId, keyId } = key;
    const rights = await holdRightsToOne(em, { ...key, by });
    if (isRefusal(rights)) return rights;
    if (!(await setRevoked(em, key))) return refuse('unknown');
    const entry = { action: 'key.revoked', subject: keyId } as const;
    await recordAudit(em, { by, productId, teamId: rights.teamId, ...entry });
    return { revoked: true };
  });
}

async function holdRightsToOne(
  em: EntityManager,
  key: KeyReference & Change,
): Promise<HeldRights | Refusal<KeyRefusal>> {
  const rights = await holdCredentialRights(em, key);
  if (isRefusal(rights) || !rights.isTrial) return rights;
  return (await findKeyMode(em, key)) === 'live' ? refuse('live') : rights;
}

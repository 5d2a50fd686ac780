import {
  findDeletedParty,
  type DeletedParty,
} from '../../catalog/listing/deleted-party.repository.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { addGrant, changeAccess, type AccessKey } from '../entitlement.repository.ts';
import { decidePeriod, type PeriodRefusal } from './grant-period.ts';

export type NewPeriod = { startsAt: Date | null; endsAt: Date | null };

/** Makes complimentary access and returns its name, which products see as the source. */
export async function grantAccess(
  em: EntityManager,
  key: AccessKey,
  { grantedBy, ...asked }: NewPeriod & { grantedBy: string },
): Promise<{ grantId: string } | Refusal<PeriodRefusal | DeletedParty>> {
  const refused = decidePeriod(asked, await now(em));
  if (refused) return refuse(refused);
  const grantId = newPublicId('grant_');
  let gone: DeletedParty | null = null;
  await changeAccess(em, key, {
    reason: 'granted',
    async write() {
      gone = await findDeletedParty(em, key);
      if (gone) return {};
      const startsAt = asked.startsAt ?? (await now(em));
      const { endsAt } = asked;
      const grant = { type: 'complimentary', source: grantId, startsAt, endsAt } as const;
      await addGrant(em, key, { ...grant, grantedBy });
      return {};
    },
  });
  return gone === null ? { grantId } : refuse(gone);
}

/** False when the product has no such grant, or it was withdrawn before. */
export async function withdrawGrant(
  em: EntityManager,
  { productId, grantId }: { productId: string; grantId: string },
): Promise<boolean> {
  const [grant] = await rows<{ personId: string }>(
    em,
    `select person_id as "personId" from access_grant
     where product_id = ? and source = ? and type = 'complimentary'`,
    [productId, grantId],
  );
  if (!grant) return false;
  let isWithdrawn = false;
  const { personId } = grant;
  await changeAccess(
    em,
    { productId, personId },
    {
      reason: 'withdrawn',
      async write() {
        const withdrawn = await rows(
          em,
          `update access_grant set withdrawn_at = gatehouse_now()
           where product_id = ? and source = ? and withdrawn_at is null returning 1`,
          [productId, grantId],
        );
        isWithdrawn = withdrawn.length === 1;
        return {};
      },
    },
  );
  return isWithdrawn;
}

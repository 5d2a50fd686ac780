import {
  findDeletedParty,
  type DeletedParty,
} from '../../catalog/listing/deleted-party.repository.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { AccessGrant } from '../entitlement.entity.ts';
import { changeAccess, type AccessKey, type NewGrant } from '../entitlement.repository.ts';
import { decidePeriod, type PeriodRefusal } from './grant-period.ts';

type Grant = {
  /** The page that asks makes the id, so a repeated form is one grant. */
  id?: string;
  startsAt: Date | null;
  endsAt: Date | null;
  grantedBy: string;
};

type Made = { grantId: string; isNew: boolean };

/** Makes complimentary access and returns its name, which products see as the source. */
export async function grantAccess(
  em: EntityManager,
  key: AccessKey,
  { id = newUuid(), grantedBy, ...asked }: Grant,
): Promise<Made | Refusal<PeriodRefusal | DeletedParty | 'of_another'>> {
  const refused = decidePeriod(asked, await now(em));
  if (refused) return refuse(refused);
  let made: Made | Refusal<DeletedParty | 'of_another'> = refuse('of_another');
  await changeAccess(em, key, {
    reason: 'granted',
    async write() {
      const gone = await findDeletedParty(em, key);
      const startsAt = asked.startsAt ?? (await now(em));
      const grant = { id, ...key, startsAt, endsAt: asked.endsAt, grantedBy };
      made = gone ? refuse(gone) : await recordGrant(em, grant);
      return {};
    },
  });
  return made;
}

/** Refuses the id of another product's or person's grant. */
async function recordGrant(
  em: EntityManager,
  {
    id,
    productId,
    personId,
    ...grant
  }: { id: string } & AccessKey & Omit<NewGrant, 'type' | 'source'>,
): Promise<Made | Refusal<'of_another'>> {
  const grantId = newPublicId('grant_');
  const key = { id, productId, personId, type: 'complimentary' } as const;
  const written = await kysely(em)
    .insertInto('accessGrant')
    .values({ ...key, ...grant, source: grantId })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (written.numInsertedOrUpdatedRows === 1n) return { grantId, isNew: true };
  const earlier = await em.findOne(AccessGrant, key);
  return earlier ? { grantId: earlier.source, isNew: false } : refuse('of_another');
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

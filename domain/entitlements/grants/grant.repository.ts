import { findDeletedParty, type DeletedParty } from '../../catalog/product-lifecycle.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { NOW, CLOCK } from '../../../platform/database/expressions.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { AccessGrant } from '../entitlement.entity.ts';
import {
  lockAccess,
  storeAccess,
  type AccessKey,
  type NewGrant,
} from '../entitlement.repository.ts';
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
  { id = newUuid(), grantedBy, ...period }: Grant,
): Promise<Made | Refusal<PeriodRefusal | DeletedParty | 'of_another'>> {
  const refused = decidePeriod(period, await now(em));
  if (refused) return refuse(refused);
  const access = await lockAccess(em, key);
  const gone = await findDeletedParty(em, key);
  const startsAt = period.startsAt ?? (await now(em));
  const grant = { id, ...key, startsAt, endsAt: period.endsAt, grantedBy };
  const made = gone ? refuse(gone) : await recordGrant(em, grant);
  await storeAccess(em, access, { reason: 'granted' });
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
  const named = { productId, source: grantId, type: 'complimentary' } as const;
  const grant = await em.findOne(AccessGrant, named);
  if (!grant) return false;
  const { id, personId } = grant;
  const access = await lockAccess(em, { productId, personId });
  const live = { id, withdrawnAt: null };
  const withdrawn = await em.nativeUpdate(AccessGrant, live, { withdrawnAt: CLOCK });
  await storeAccess(em, access, { reason: 'withdrawn' });
  return withdrawn === 1;
}

const PAGE = 50;

/**
 * A page of a product's grants, the newest first; `next` is the id of the last one when others
 * follow.
 */
export async function listGrants(
  em: EntityManager,
  { productId, before }: { productId: string; before: string | null },
) {
  let newest = kysely(em)
    .selectFrom('accessGrant as grant')
    .innerJoin('person', 'person.id', 'grant.personId')
    .leftJoin('person as giver', 'giver.id', 'grant.grantedBy')
    .select(['grant.source as grantId', 'grant.personId', 'person.handle'])
    .select('giver.handle as grantedByHandle')
    .select(['grant.startsAt', 'grant.endsAt', 'grant.withdrawnAt'])
    .select(({ eb }) =>
      eb
        .case()
        .when('grant.withdrawnAt', 'is not', null)
        .then('withdrawn' as const)
        .when('grant.endsAt', '<=', NOW)
        .then('ended' as const)
        .when('grant.startsAt', '>', NOW)
        .then('ahead' as const)
        .else('active' as const)
        .end()
        .as('state'),
    )
    .where('grant.productId', '=', productId)
    .where('grant.type', '=', 'complimentary')
    .orderBy('grant.createdAt', 'desc')
    .orderBy('grant.id', 'desc')
    .limit(PAGE + 1);
  if (before !== null) {
    newest = newest.where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('grant.createdAt', 'grant.id'),
        '<',
        selectFrom('accessGrant as last')
          .select(['last.createdAt', 'last.id'])
          .where('last.productId', '=', productId)
          .where('last.source', '=', before)
          .$asTuple('createdAt', 'id'),
      ),
    );
  }
  const found = await newest.execute();
  const { lines, next } = toPage(found, PAGE, ({ grantId }) => grantId);
  return { grants: lines, next };
}

export type GrantView = Awaited<ReturnType<typeof listGrants>>['grants'][number];

import { jsonObjectFrom } from 'kysely/helpers/postgres';
import type { EntityManager } from '../../platform/database/database.ts';
import { CLOCK } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { iconHashOf } from '../catalog/pictures/picture.repository.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { SealAppeal, SealReview } from './seal.entity.ts';

export const LONGEST_APPEAL = 2_000;

export type NewAppeal = { productId: string; personId: string; text: string };

export async function findReviewedAt(em: EntityManager, productId: string): Promise<Date | null> {
  const last = await em.findOne(SealReview, { productId }, { orderBy: { week: 'desc' } });
  return last?.reviewedAt ?? null;
}

/** A product has one open appeal at a time. */
export async function insertAppeal(
  em: EntityManager,
  appeal: NewAppeal,
): Promise<{ appealId: string } | Refusal<'already_open'>> {
  const appealId = newUuid();
  const written = await kysely(em)
    .insertInto('sealAppeal')
    .values({ id: appealId, ...appeal })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return written.numInsertedOrUpdatedRows === 1n ? { appealId } : refuse('already_open');
}

/** The latest appeal of a product, answered or not. */
export async function findAppeal(em: EntityManager, productId: string) {
  return em.findOne(SealAppeal, { productId }, { orderBy: { createdAt: 'desc' } });
}

export type Appeal = NonNullable<Awaited<ReturnType<typeof findAppeal>>>;

/** The product of an appeal that nobody has answered. */
export async function findAppealedProduct(
  em: EntityManager,
  appealId: string,
): Promise<{ productId: string; teamId: string | null } | null> {
  const found = await kysely(em)
    .selectFrom('sealAppeal as appeal')
    .innerJoin('product', 'product.id', 'appeal.productId')
    .select(['appeal.productId', 'product.ownerTeamId as teamId'])
    .where('appeal.id', '=', appealId)
    .where('appeal.outcome', 'is', null)
    .executeTakeFirst();
  return found ?? null;
}

/** Records an answer. The first of two counts; the second gets false. */
export async function settleAppeal(
  em: EntityManager,
  { appealId, byId, outcome }: { appealId: string; byId: string; outcome: 'restored' | 'declined' },
): Promise<boolean> {
  const answered = { outcome, answeredAt: CLOCK, answeredBy: byId };
  return (await em.nativeUpdate(SealAppeal, { id: appealId, outcome: null }, answered)) === 1;
}

const PAGE = 50;

/** Appeals that wait for an operator, the oldest first. */
export async function listAppeals(em: EntityManager, { after }: { after: string | null }) {
  const appeals = await kysely(em)
    .selectFrom('sealAppeal as appeal')
    .innerJoin('product', 'product.id', 'appeal.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('seal', 'seal.productId', 'appeal.productId')
    .select(['appeal.id', 'appeal.text', 'appeal.createdAt', 'product.name', 'slug.slug'])
    .select(['seal.state', 'seal.noticeEndsAt', 'seal.lostAt'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(({ ref, selectFrom }) =>
      jsonObjectFrom(
        selectFrom('sealReview as review')
          .select(['review.week', 'review.criteria'])
          .where('review.productId', '=', ref('appeal.productId'))
          .orderBy('review.week', 'desc')
          .limit(1),
      ).as('review'),
    )
    .where('appeal.outcome', 'is', null)
    .$if(after !== null, (all) =>
      all.where(({ eb, exists, not, or, refTuple, selectFrom }) => {
        const last = selectFrom('sealAppeal as last')
          .select(['last.createdAt', 'last.id'])
          .where('last.id', '=', after!);
        const isAfter = eb(
          refTuple('appeal.createdAt', 'appeal.id'),
          '>',
          last.$asTuple('createdAt', 'id'),
        );
        // After an appeal that is not known comes the first page.
        return or([isAfter, not(exists(last))]);
      }),
    )
    .orderBy('appeal.createdAt')
    .orderBy('appeal.id')
    .limit(PAGE + 1)
    .execute();
  return toPage(appeals, PAGE, ({ id }) => id);
}

export type AppealPage = Awaited<ReturnType<typeof listAppeals>>;
export type AppealLine = AppealPage['lines'][number];

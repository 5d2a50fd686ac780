import { jsonObjectFrom } from 'kysely/helpers/postgres';
import { type EntityManager, now } from '../../platform/database/database.ts';
import { CLOCK } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { lockSeals, moveSeal } from './seal.repository.ts';
import { SealAppeal, SealReview } from './seal.entity.ts';
import { decideSeal, mayNotAppealYet, mayAppeal } from './seal-state.ts';

export const LONGEST_APPEAL = 2_000;

export type NewAppeal = { productId: string; personId: string; text: string };

/** The seal is locked, so that no review and no operator takes the reason away meanwhile. */
export async function appealAgainst(
  em: EntityManager,
  appeal: NewAppeal,
): Promise<{ appealId: string } | Refusal<'nothing_to_appeal' | 'already_open' | 'declined'>> {
  const { productId } = appeal;
  const seal = (await lockSeals(em, [productId])).get(productId);
  if (!seal || !mayAppeal(seal)) return refuse('nothing_to_appeal');
  const last = await findAppeal(em, productId);
  if (mayNotAppealYet(last, await findReviewedAt(em, productId))) return refuse('declined');
  return insertAppeal(em, appeal);
}

async function findReviewedAt(em: EntityManager, productId: string): Promise<Date | null> {
  const last = await em.findOne(SealReview, { productId }, { orderBy: { week: 'desc' } });
  return last?.reviewedAt ?? null;
}

type Answer = { appealId: string; byId: string; outcome: 'restored' | 'declined' };

/** An operator's answer. A restored seal is held until the next review. */
export async function answerAppeal(
  em: EntityManager,
  answer: Answer,
): Promise<AppealedProduct | Refusal<'answered' | 'nothing_to_restore'>> {
  const appealed = await findAppealedProduct(em, answer.appealId);
  if (!appealed) return refuse('answered');
  const { productId } = appealed;
  const before = (await lockSeals(em, [productId])).get(productId);
  const isRestored = answer.outcome === 'restored';
  const restored = before && decideSeal(before, { kind: 'restored' });
  if (isRestored && !restored) return refuse('nothing_to_restore');
  if (!(await settleAppeal(em, answer))) return refuse('answered');
  if (isRestored) moveSeal(before!, { seal: restored!.seal, at: await now(em) });
  return appealed;
}

/** A product has one open appeal at a time. */
async function insertAppeal(
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

export type AppealedProduct = { productId: string; teamId: string | null };

/** The product of an appeal that nobody has answered. */
async function findAppealedProduct(
  em: EntityManager,
  appealId: string,
): Promise<AppealedProduct | null> {
  const found = await kysely(em)
    .selectFrom('sealAppeal as appeal')
    .innerJoin('product', 'product.id', 'appeal.productId')
    .select(['appeal.productId', 'product.ownerTeamId as teamId'])
    .where('appeal.id', '=', appealId)
    .where('appeal.outcome', 'is', null)
    .executeTakeFirst();
  return found ?? null;
}

/** True for the first of two answers, which counts; false for the second. */
async function settleAppeal(
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

import { expressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { EntityManager } from '../../platform/database/database.ts';
import { lower, NOW } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { iconHashOf } from '../catalog/pictures/picture.repository.ts';
import { kysely, type Tables } from '../kysely.ts';
import { isLive } from './memberships/membership.repository.ts';
import type { ProductAddresses } from '../catalog/product-address.ts';
import type { AccessType } from './effective-access.ts';

/** One reason why a product may be used now. */
export type Through = { type: AccessType; source: string; endsAt: Date | null };

export type LibraryItem = ProductAddresses & {
  productId: string;
  slug: string;
  name: string;
  iconHash: string | null;
  tagline: string;
  hasPage: boolean;
  through: Through[];
  /** A live membership that has not activated the product. */
  canActivate: boolean;
};

type LibraryRequest = { personId: string; after: string | null };

const PAGE = 50;

/** A page of the products that a person may use now, each once, by name. */
export async function listLibrary(em: EntityManager, request: LibraryRequest) {
  const found = await selectPage(em, request).execute();
  const { lines, next } = toPage(found, PAGE, ({ productId }) => productId);
  return { items: lines.map(present), next };
}

/** Whether the person may use the product now: what the library shows. */
export async function hasAccess(
  em: EntityManager,
  { personId, productId }: { personId: string; productId: string },
): Promise<boolean> {
  const found = await selectOwned(em, personId)
    .selectFrom('owned')
    .select('owned.productId')
    .where('owned.productId', '=', productId)
    .executeTakeFirst();
  return found !== undefined;
}

// Counts what the check counts: live sources, and a live membership of an Included product.
const selectOwned = (em: EntityManager, personId: string) =>
  kysely(em)
    // The live sources of the person.
    .with('running', (db) =>
      db
        .selectFrom('entitlement')
        .innerJoin('accessGrant as grant', (join) =>
          join
            .onRef('grant.productId', '=', 'entitlement.productId')
            .onRef('grant.personId', '=', 'entitlement.personId'),
        )
        .select(['grant.productId', 'grant.type', 'grant.source', endOfGrant().as('endsAt')])
        .where('entitlement.personId', '=', personId)
        .where('grant.startsAt', '<=', NOW)
        .where(({ eb, or }) => or([eb(endOfGrant(), 'is', null), eb(endOfGrant(), '>', NOW)])),
    )
    // The live memberships of the person.
    .with('member', (db) =>
      db
        .selectFrom('membership')
        .select(['membership.id', 'membership.endsAt'])
        .where('membership.personId', '=', personId)
        .where(isLive()),
    )
    // Every Included product, with the latest end of a membership.
    .with('included', (db) =>
      db
        .selectFrom((longest) =>
          longest
            .selectFrom('member')
            .select('member.endsAt')
            .orderBy('member.endsAt', (end) => end.desc().nullsFirst())
            .orderBy('member.id')
            .limit(1)
            .as('longest'),
        )
        .innerJoin('product', (join) => join.on('product.includedWithMember', '=', true))
        .select(['product.id as productId', 'longest.endsAt'])
        .select(({ exists, not, selectFrom }) => {
          const activation = selectFrom('membershipActivation as activation')
            .innerJoin('member', 'member.id', 'activation.membershipId')
            .select('activation.productId')
            .whereRef('activation.productId', '=', 'product.id')
            .where('activation.closedAt', 'is', null);
          return not(exists(activation)).$castTo<boolean>().as('canActivate');
        })
        .where('product.state', 'in', ['listed', 'unlisted']),
    )
    // Each product once, by whichever of both.
    .with('owned', (db) =>
      db
        .selectFrom('running')
        .select('running.productId')
        .union(db.selectFrom('included').select('included.productId')),
    );

function endOfGrant() {
  const { fn } = expressionBuilder<Tables & { grant: Tables['accessGrant'] }, 'grant'>();
  return fn<Date | null>('least', ['grant.endsAt', 'grant.withdrawnAt']);
}

function selectPage(em: EntityManager, { personId, after }: LibraryRequest) {
  const page = selectOwned(em, personId)
    .selectFrom('owned')
    .innerJoin('product', 'product.id', 'owned.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('included', 'included.productId', 'product.id')
    .select(['product.id as productId', 'product.name', 'product.tagline', 'slug.slug'])
    .select(['product.websiteUrl', 'product.signInUrl'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(['included.endsAt as memberEndsAt', 'included.canActivate'])
    .select(({ eb, selectFrom }) => [
      eb('product.state', 'in', ['listed', 'unlisted']).$castTo<boolean>().as('hasPage'),
      selectFrom('running')
        .select(({ fn, ref }) =>
          fn
            .jsonAgg(
              jsonBuildObject({
                type: ref('running.type'),
                source: ref('running.source'),
                endsAt: ref('running.endsAt'),
              }),
            )
            .orderBy(orderOfType())
            .orderBy('running.source')
            .as('grants'),
        )
        .whereRef('running.productId', '=', 'product.id')
        .as('grants'),
    ])
    .orderBy(lower('product.name'))
    .orderBy('product.id')
    .limit(PAGE + 1);
  if (after === null) return page;
  return page.where(({ eb, selectFrom, tuple, ref }) =>
    eb(
      tuple(lower('product.name'), ref('product.id')),
      '>',
      selectFrom('owned as last')
        .innerJoin('product as shown', 'shown.id', 'last.productId')
        .select([lower('shown.name').as('name'), 'shown.id'])
        .where('shown.id', '=', after)
        .$asTuple('name', 'id'),
    ),
  );
}

/** The order in which effective access looks at its sources. */
function orderOfType() {
  const { eb, lit } = expressionBuilder<{ running: Tables['accessGrant'] }, 'running'>();
  const byType = eb.case('running.type').when('purchase').then(lit(0)).when('subscription');
  return byType.then(lit(1)).else(lit(2)).end();
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPage>['execute']>>[number];

function present({ grants, memberEndsAt, canActivate, ...product }: Row): LibraryItem {
  const through: Through[] = (grants ?? []).map(({ type, source, endsAt }) => ({
    type,
    source,
    endsAt: endsAt === null ? null : new Date(endsAt), // text in JSON
  }));
  if (canActivate !== null)
    through.push({ type: 'member', source: 'member', endsAt: memberEndsAt });
  return { ...product, through, canActivate: canActivate === true };
}

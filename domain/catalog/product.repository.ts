import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely, type Tables } from '../kysely.ts';
import type { ProductRole, Role } from '../teams/permissions.ts';
import { isSuspended } from '../teams/team.repository.ts';
import { parseUuid } from '../shared/ids.ts';
import type { ProductAddresses } from './product-address.ts';
import { mayAnswerForSales } from './commercial-operator.repository.ts';
import { iconHashOf } from './pictures/picture.repository.ts';

export type ProductView = ProductAddresses & {
  id: string;
  slug: string;
  name: string;
  /** Is null for a product whose icon is drawn. */
  iconHash: string | null;
  tagline: string;
  refundTerms: string | null;
  state: 'draft' | 'listed' | 'unlisted' | 'removed';
  delivery: 'entitlement_api' | 'external_store' | 'affiliate';
  includedWithMember: boolean;
  /** A product has one of the two owners. */
  ownerPersonId: string | null;
  ownerTeamId: string | null;
  sellerName: string;
  /**
   * The seller of record, and whether the person may still be one: an owner or finance member of
   * the team, unless all owners of the team are revoked builders, or the verified builder.
   */
  commercialOperatorId: string | null;
  hasCommercialOperator: boolean;
  payoutAccount: string | null;
  canSellerCharge: boolean;
};

export type OfferKind = 'one_time' | 'monthly' | 'yearly';

export type PriceView = {
  priceId: string;
  offerId: string;
  amountMinor: number;
  currency: string;
  isBase: boolean;
  kind: OfferKind;
};

// `storefront-product.query.ts` has the same columns as text.
const productViews = (em: EntityManager) =>
  kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId')
    .leftJoin('payoutAccount as payout', (join) =>
      join
        .on('payout.replacedAt', 'is', null)
        .on(({ eb, or, ref }) =>
          or([
            eb('payout.personId', '=', ref('product.ownerPersonId')),
            eb('payout.teamId', '=', ref('product.ownerTeamId')),
          ]),
        ),
    )
    .select(['product.id', 'slug.slug', 'product.name', 'product.tagline', 'product.state'])
    .select(['product.delivery', 'product.includedWithMember', 'product.commercialOperatorId'])
    .select(['product.ownerPersonId', 'product.ownerTeamId'])
    .select(['product.websiteUrl', 'product.signInUrl', 'product.refundTerms'])
    .select('payout.processorAccount as payoutAccount')
    .select(({ fn, lit, ref }) => [
      fn.coalesce('team.name', 'owner.displayName').$castTo<string>().as('sellerName'),
      fn.coalesce('payout.canCharge', lit(false)).as('canSellerCharge'),
      mayAnswerForSales(ref('product.commercialOperatorId')).as('hasCommercialOperator'),
      iconHashOf(ref('product.id')).as('iconHash'),
    ]);

/** A product with the roles of the person who looks at it. */
export type ManagedProduct = ProductView & {
  roles: ProductRole[];
  /** Only an operator lists the product again. */
  isUnlistedByOperator: boolean;
  /** All owners of the product's team are revoked builders: it sells nothing. */
  isSuspended: boolean;
};

type Manager = { personId: string; isOperator: boolean };

/** Who changes a product: for the audit their address, for their rights the confirmed email address. */
export type ActingManager = Manager & { ip: string; isEmailVerified: boolean };

const managed = (em: EntityManager, personId: string) =>
  productViews(em)
    .innerJoin('person as manager', (join) => join.on('manager.id', '=', personId))
    .leftJoin('teamMember as member', (join) =>
      join
        .onRef('member.teamId', '=', 'product.ownerTeamId')
        .onRef('member.personId', '=', 'manager.id'),
    )
    .select(['member.role', 'product.isUnlistedByOperator'])
    .select(({ and, eb, ref }) => [
      isSuspended(ref('product.ownerTeamId')).as('isSuspended'),
      eb('product.ownerPersonId', 'is not distinct from', ref('manager.id'))
        .$castTo<boolean>()
        .as('isLoneBuilder'),
      and([
        eb('manager.builderVerifiedAt', 'is not', null),
        eb('manager.emailVerifiedAt', 'is not', null),
      ])
        .$castTo<boolean>()
        .as('isVerified'),
    ]);

const owned = (em: EntityManager, personId: string) =>
  managed(em, personId).where(({ eb, or, ref }) =>
    or([
      eb('product.ownerPersonId', '=', ref('manager.id')),
      eb('member.personId', 'is not', null),
    ]),
  );

/** Returns null for a person without a role: the product's existence stays hidden. */
export async function findManagedProduct(
  em: EntityManager,
  { manager, ref }: { manager: Manager; ref: string },
): Promise<ManagedProduct | null> {
  const { personId, isOperator } = manager;
  const found = await (isOperator ? managed(em, personId) : owned(em, personId))
    .where(referTo(ref))
    .executeTakeFirst();
  return found ? toManaged(found, isOperator) : null;
}

/**
 * Finds a product by its id. The person's role, and the verification of the person and of the team's
 * owners, stay as they are until the transaction ends.
 */
export async function holdManagedProduct(
  em: EntityManager,
  { manager, productId }: { manager: Manager; productId: string },
): Promise<ManagedProduct | null> {
  const { personId } = manager;
  await kysely(em)
    .selectFrom('person')
    .select('id')
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('id', '=', personId),
        eb(
          'id',
          'in',
          selectFrom('teamMember')
            .innerJoin('product', 'product.ownerTeamId', 'teamMember.teamId')
            .select('teamMember.personId')
            .where('product.id', '=', productId)
            .where('teamMember.role', '=', 'owner'),
        ),
      ]),
    )
    .orderBy('id')
    .forShare()
    .execute();
  await kysely(em)
    .selectFrom('teamMember')
    .select('role')
    .where('personId', '=', personId)
    .where('teamId', '=', ({ selectFrom }) =>
      selectFrom('product').select('ownerTeamId').where('product.id', '=', productId),
    )
    .forShare()
    .execute();
  return findManagedProduct(em, { manager, ref: productId });
}

/** A reference is tried as a UUID first. */
function referTo(ref: string) {
  const { eb, selectFrom } = expressionBuilder<Tables, 'product'>();
  const id = parseUuid(ref);
  if (id) return eb('product.id', '=', id);
  const named = selectFrom('productSlug').select('productId').where('productSlug.slug', '=', ref);
  return eb('product.id', '=', named);
}

/** The products of a person and of the person's teams, the oldest first. */
export async function listProductsOf(
  em: EntityManager,
  personId: string,
): Promise<ManagedProduct[]> {
  const found = await listOwned(em, personId).where('product.state', '<>', 'removed').execute();
  return found.map((row) => toManaged(row, false));
}

/** A product by which a person's other ones are chosen. */
export type ProductChoice = Pick<
  ProductView,
  'slug' | 'name' | 'iconHash' | 'state' | 'ownerTeamId' | 'sellerName'
>;

const CHOICES = 24;

/**
 * The products of a person and of the person's teams to choose from, the newest first. Each arm is
 * read by an index; an OR of both would read all products.
 */
export async function listProductChoices(
  em: EntityManager,
  personId: string,
): Promise<ProductChoice[]> {
  return kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId')
    .select(['slug.slug', 'product.name', 'product.state', 'product.ownerTeamId'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(({ fn }) =>
      fn.coalesce('team.name', 'owner.displayName').$castTo<string>().as('sellerName'),
    )
    .where('product.state', '<>', 'removed')
    .where(({ eb, selectFrom }) =>
      eb(
        'product.id',
        'in',
        selectFrom('product as own')
          .select('own.id')
          .where('own.ownerPersonId', '=', personId)
          .union(
            selectFrom('product as shared')
              .innerJoin('teamMember', 'teamMember.teamId', 'shared.ownerTeamId')
              .select('shared.id')
              .where('teamMember.personId', '=', personId),
          ),
      ),
    )
    .orderBy('product.createdAt', 'desc')
    .orderBy('product.id', 'desc')
    .limit(CHOICES)
    .execute();
}

/** Removed products: their sales still belong to their owner. */
export async function listRemovedProductsOf(
  em: EntityManager,
  personId: string,
): Promise<ManagedProduct[]> {
  const found = await listOwned(em, personId).where('product.state', '=', 'removed').execute();
  return found.map((row) => toManaged(row, false));
}

const listOwned = (em: EntityManager, personId: string) =>
  owned(em, personId).orderBy('product.createdAt').orderBy('product.id').limit(1_000);

type ManagedRow = Omit<ManagedProduct, 'roles'> & {
  role: Role | null;
  isLoneBuilder: boolean;
  isVerified: boolean;
};

function toManaged(
  { role, isLoneBuilder, isVerified, ...product }: ManagedRow,
  isOperator: boolean,
): ManagedProduct {
  const roles: ProductRole[] = [];
  if (role !== null) roles.push(role);
  if (isLoneBuilder) roles.push(isVerified ? 'verified_lone_builder' : 'lone_builder');
  if (isOperator) roles.push('operator');
  return { ...product, roles };
}

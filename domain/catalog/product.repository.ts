import { rows, type EntityManager } from '../../platform/database/database.ts';
import { rolesFor, type ProductRole, type Role } from '../teams/permissions.ts';
import { parseUuid } from '../shared/ids.ts';

export type ProductView = {
  id: string;
  slug: string;
  name: string;
  tagline: string;
  state: 'draft' | 'listed' | 'unlisted' | 'removed';
  delivery: 'entitlement_api' | 'external_store' | 'affiliate';
  includedWithMember: boolean;
  /** A product has one of the two owners. */
  ownerPersonId: string | null;
  ownerTeamId: string | null;
  sellerName: string;
  /**
   * The seller of record, and whether the person may still be one: an owner or finance member of
   * the team, or the verified builder.
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

const COMMERCIAL_ROLES = rolesFor('answer_for_sales')
  .map((role) => `'${role}'`)
  .join(', ');

/** SQL, of a product `p`: the person may be its seller of record now. */
export const mayAnswerForSales = (personId: string) => `
    exists (select 1 from person n
      left join team_member m on m.team_id = p.owner_team_id and m.person_id = n.id
      where n.id = ${personId} and n.email_verified_at is not null and n.deleted_at is null
        and (m.role in (${COMMERCIAL_ROLES})
          or (n.id = p.owner_person_id and n.builder_verified_at is not null)))`;

export const PRODUCT_COLUMNS = `
    p.id, s.slug, p.name, p.tagline, p.state, p.delivery,
    p.included_with_member as "includedWithMember", p.owner_person_id as "ownerPersonId",
    p.owner_team_id as "ownerTeamId", coalesce(t.name, o.display_name) as "sellerName",
    p.commercial_operator_id as "commercialOperatorId",
    ${mayAnswerForSales('p.commercial_operator_id')} as "hasCommercialOperator",
    a.processor_account as "payoutAccount", coalesce(a.can_charge, false) as "canSellerCharge"`;

export const PRODUCT_TABLES = `
  product p
  join product_slug s on s.product_id = p.id and s.is_current
  left join person o on o.id = p.owner_person_id
  left join team t on t.id = p.owner_team_id
  left join payout_account a on a.person_id = p.owner_person_id or a.team_id = p.owner_team_id`;

const PRODUCT_VIEW = `select ${PRODUCT_COLUMNS} from ${PRODUCT_TABLES}`;

/** A reference is tried as a UUID first. */
function referTo(ref: string): { where: string; value: string } {
  const id = parseUuid(ref);
  if (id) return { where: 'p.id = ?', value: id };
  return { where: 'p.id = (select product_id from product_slug where slug = ?)', value: ref };
}

export async function listListedProducts(em: EntityManager): Promise<ProductView[]> {
  return rows(
    em,
    `${PRODUCT_VIEW} where p.state = 'listed' order by p.listed_at desc, p.id limit 60`,
  );
}

/** A product with the roles of the person who looks at it. */
export type ManagedProduct = ProductView & { roles: ProductRole[] };

type Manager = { personId: string; isOperator: boolean };

type ManagedRow = ProductView & { role: Role | null; isLoneBuilder: boolean; isVerified: boolean };

const MANAGED = `
  select ${PRODUCT_COLUMNS}, member.role, p.owner_person_id = me.id as "isLoneBuilder",
    me.builder_verified_at is not null and me.email_verified_at is not null as "isVerified"
  from person me cross join ${PRODUCT_TABLES}
  left join team_member member on member.team_id = p.owner_team_id and member.person_id = me.id
  where me.id = ?`;

const IS_MINE = '(p.owner_person_id = me.id or member.person_id is not null)';

/** Null for a person without a role: the product's existence stays hidden. */
export async function findManagedProduct(
  em: EntityManager,
  { manager, ref }: { manager: Manager; ref: string },
): Promise<ManagedProduct | null> {
  const { where, value } = referTo(ref);
  const [found] = await rows<ManagedRow>(em, `${MANAGED} and ${where} and (${IS_MINE} or ?)`, [
    manager.personId,
    value,
    manager.isOperator,
  ]);
  return found ? toManaged(found, manager) : null;
}

/** The products of a person and of the person's teams, the oldest first. */
export async function listProductsOf(
  em: EntityManager,
  personId: string,
): Promise<ManagedProduct[]> {
  return listOwned(em, personId, `p.state <> 'removed'`);
}

/** Removed products: their sales still belong to their owner. */
export async function listRemovedProductsOf(
  em: EntityManager,
  personId: string,
): Promise<ManagedProduct[]> {
  return listOwned(em, personId, `p.state = 'removed'`);
}

async function listOwned(em: EntityManager, personId: string, where: string) {
  const found = await rows<ManagedRow>(
    em,
    `${MANAGED} and ${IS_MINE} and ${where} order by p.created_at, p.id limit 1000`,
    [personId],
  );
  return found.map((row) => toManaged(row, { personId, isOperator: false }));
}

function toManaged({ role, isLoneBuilder, isVerified, ...product }: ManagedRow, manager: Manager) {
  const roles: ProductRole[] = [];
  if (role !== null) roles.push(role);
  if (isLoneBuilder) roles.push(isVerified ? 'verified_lone_builder' : 'lone_builder');
  if (manager.isOperator) roles.push('operator');
  return { ...product, roles };
}

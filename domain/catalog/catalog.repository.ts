import { rows, type EntityManager } from '../../platform/database/database.ts';
import { rolesFor } from '../teams/permissions.ts';
import { parseUuid } from '../shared/ids.ts';
import type { KeyMode } from './keys/api-key.repository.ts';

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

export type KeyHolder = { keyId: string; productId: string; mode: KeyMode };

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
export function referTo(ref: string): { where: string; value: string } {
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

/**
 * SQL, of `given` (hash, bucket, about, place, second): the product of each live key and the person
 * of the question. An unknown, expired or revoked key has no row.
 */
export const keyHoldersOf = (given: string) => `
  select place, bucket, second, k.id as key_id, k.product_id, k.mode, about as person_id, p.included_with_member as is_included
  from ${given} join api_key k on k.key_hash = given.hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > gatehouse_now())
  join product p on p.id = k.product_id and p.state <> 'removed'`;

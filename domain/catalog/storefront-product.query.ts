import type pg from 'pg';
import { parseUuid } from '../shared/ids.ts';
import { batchStatement } from '../../platform/database/batcher.ts';
import { rolesFor } from '../teams/permissions.ts';
import type { Screenshot } from './pictures/picture.ts';
import { isReference } from './product-reference.ts';
import { SHOWN_SEAL_STATES } from './shown-seal.ts';
import type { ProductListing } from './listing.repository.ts';
import { SHOWN_RELEASES } from './releases/release-fields.ts';
import type { PriceView, ProductView } from './product.repository.ts';

/** A price of a product's default offer, or of another one. */
export type OfferedPrice = PriceView & { isDefaultOffer: boolean };

export type Offering = { product: ProductView; hasSeal: boolean; prices: OfferedPrice[] };

export type OfferingRow = ProductView & { hasSeal: boolean; prices: OfferedPrice[] | null };

/** What the latest passed review of the quality seal counted, by the names of its criteria. */
export type SealCount = { name: string; count: number; of: number | null };

/** What a listing says beyond the product's name; times are as JSON has them. */
export type ShownListing = Pick<
  ProductListing,
  | 'descriptionHtml'
  | 'category'
  | 'platforms'
  | 'tags'
  | 'docsUrl'
  | 'supportUrl'
  | 'sourceUrl'
  | 'changelogUrl'
  | 'supportAddress'
>;

export type ShownRelease = {
  version: string;
  publishedAt: string | null;
  notesHtml: string | null;
};

/** An offering with what its page alone shows. */
export type ShownOffering = Offering & {
  /** Is null for a product that was never described. */
  listing: ShownListing | null;
  /** The latest releases, the latest first. */
  releases: ShownRelease[];
  /** Is null for a product without the seal. */
  sealCounts: SealCount[] | null;
  /** Other listed products of the same maker, the latest first. */
  siblings: Sibling[];
  screenshots: Screenshot[];
  /** Is null for a product of a team. */
  ownerHandle: string | null;
};

type Sibling = Pick<ProductView, 'slug' | 'name' | 'iconHash'>;

const COMMERCIAL_ROLES = rolesFor('answer_for_sales')
  .map((role) => `'${role}'`)
  .join(', ');

// The view of a product that `product.repository.ts` builds, as text of named prepared statements.
const PRODUCT_COLUMNS = `
    p.id, s.slug, p.name, p.tagline, p.state, p.delivery,
    (select hash from product_image where product_id = p.id and position = 0) as "iconHash",
    p.included_with_member as "includedWithMember", p.owner_person_id as "ownerPersonId",
    p.website_url as "websiteUrl", p.sign_in_url as "signInUrl", p.refund_terms as "refundTerms",
    p.owner_team_id as "ownerTeamId", coalesce(t.name, o.display_name) as "sellerName",
    p.commercial_operator_id as "commercialOperatorId",
    coalesce(n.id = p.owner_person_id and n.builder_verified_at is not null
      or m.role in (${COMMERCIAL_ROLES}) and (
        select true from team_member s join person h on h.id = s.person_id
        where s.team_id = p.owner_team_id and s.role = 'owner' and h.builder_revoked_at is null
        limit 1), false) as "hasCommercialOperator",
    a.processor_account as "payoutAccount", coalesce(a.can_charge, false) as "canSellerCharge"`;

const SEAL_STATES = SHOWN_SEAL_STATES.map((state) => `'${state}'`).join(', ');

const SEAL_OF_PRODUCT = `
  left join seal on seal.product_id = p.id and seal.state in (${SEAL_STATES})`;

const HAS_SEAL = `seal.product_id is not null as "hasSeal"`;

// An `or` of both owners would read every row: these connections use no bitmap scans.
export const PRODUCT_TABLES = `
  product p
  join product_slug s on s.product_id = p.id and s.is_current
  left join person o on o.id = p.owner_person_id
  left join team t on t.id = p.owner_team_id
  left join lateral (
    select processor_account, can_charge from payout_account
    where person_id = p.owner_person_id and replaced_at is null
    union all
    select processor_account, can_charge from payout_account
    where team_id = p.owner_team_id and replaced_at is null) a on true
  left join person n on n.id = p.commercial_operator_id
    and n.email_verified_at is not null and n.deleted_at is null
  left join team_member m on m.team_id = p.owner_team_id and m.person_id = n.id
  ${SEAL_OF_PRODUCT}`;

/**
 * SQL, with PRODUCT_TABLES: a product and the current prices of its offers, the default offer
 * first.
 */
export const OFFERING_COLUMNS = `${PRODUCT_COLUMNS}, ${HAS_SEAL},
    (select json_agg(json_build_object('priceId', r.id, 'offerId', o.id,
        'amountMinor', r.amount_minor, 'currency', r.currency, 'isBase', r.is_base,
        'isDefaultOffer', o.is_default, 'kind', o.kind)
      order by o.is_default desc, o.created_at, o.id, r.is_base desc, r.currency)
     from offer o join price r on r.offer_id = o.id and r.retired_at is null
       join enabled_currency using (currency)
     where o.product_id = p.id and o.retired_at is null) as prices`;

/** SQL: the id of a product by its UUID, else by any slug that it ever had. */
export const productIdOf = (uuid: string, slug: string) =>
  `coalesce(${uuid}::uuid, (select product_id from product_slug where slug = ${slug}))`;

/** The two values of `productIdOf`. */
export function splitReference(ref: string): [uuid: string | null, slug: string] {
  return [parseUuid(ref), ref];
}

export function presentOffering({ prices, hasSeal, ...product }: OfferingRow): Offering {
  return { product, hasSeal, prices: prices ?? [] };
}

const MOST_SIBLINGS = 4;

// The listing and the releases are read by their keys.
const LISTING_COLUMNS = `
    (select json_build_object('descriptionHtml', description_html, 'category', category,
        'platforms', platforms, 'tags', tags, 'docsUrl', docs_url, 'supportUrl', support_url,
        'sourceUrl', source_url, 'changelogUrl', changelog_url, 'supportAddress', support_address)
      from listing where product_id = p.id) as listing,
    (select json_agg(json_build_object('version', version, 'publishedAt', published_at,
        'notesHtml', notes_html)) from (
      select version, published_at, notes_html from release where product_id = p.id
      order by published_at desc nulls last, created_at desc, id desc
      limit ${SHOWN_RELEASES}) latest) as releases`;

// The counts and pictures are read by their keys, the siblings by the indexes of owners.
const PAGE_COLUMNS = `${LISTING_COLUMNS}, o.handle as "ownerHandle",
    case when seal.product_id is not null then (
      select criteria from seal_review r where r.product_id = p.id and r.is_passed
      order by week desc limit 1
    ) end as "sealCounts",
    (select json_agg(json_build_object('hash', hash, 'alt', alt) order by position)
      from product_image where product_id = p.id and position > 0) as screenshots,
    (select json_agg(json_build_object('slug', sibling.slug, 'name', sibling.name,
        'iconHash', sibling.hash)) from (
      select of_owner.name, current.slug, icon.hash from (
          select id, name, listed_at from product
          where owner_person_id = p.owner_person_id and state = 'listed'
          union all
          select id, name, listed_at from product
          where owner_team_id = p.owner_team_id and state = 'listed') of_owner
        join product_slug current on current.product_id = of_owner.id and current.is_current
        left join product_image icon on icon.product_id = of_owner.id and icon.position = 0
      where of_owner.id <> p.id
      order by of_owner.listed_at desc, of_owner.id limit ${MOST_SIBLINGS}) sibling) as siblings`;

// The ids that callers asked for. Each is joined laterally with a limit: a plain join is planned for
// ten references and reads all products.
const ASKED = `(select ref, ${productIdOf('uuid', 'ref')} as id
          from unnest($1::uuid[], $2::text[]) given (uuid, ref)) asked`;

type ShownRow = OfferingRow & {
  ref: string;
  listing: ShownListing | null;
  releases: ShownRelease[] | null;
  sealCounts: SealCount[] | null;
  siblings: Sibling[] | null;
  screenshots: Screenshot[] | null;
  ownerHandle: string | null;
};

/** The offering of a product page, by UUID or by any slug. */
export const findOffering = batchStatement<string, ShownOffering | null>({
  async many(pool, refs) {
    // Many requests ask about the same product: it is read once.
    const distinct = [...new Set(refs)];
    const split = distinct.map(splitReference);
    const { rows } = await pool.query<ShownRow>({
      name: 'find_offerings',
      text: `
        select asked.ref, offering.*
        from ${ASKED} cross join lateral (select ${OFFERING_COLUMNS}, ${PAGE_COLUMNS}
          from ${PRODUCT_TABLES} where p.id = asked.id limit 1) offering`,
      values: [split.map(([uuid]) => uuid), distinct],
    });
    const found = new Map(
      rows.map(
        ({ ref, listing, releases, sealCounts, siblings, screenshots, ownerHandle, ...row }) => [
          ref,
          {
            ...presentOffering(row),
            listing,
            releases: releases ?? [],
            sealCounts,
            siblings: siblings ?? [],
            screenshots: screenshots ?? [],
            ownerHandle,
          },
        ],
      ),
    );
    return refs.map((ref) => found.get(ref) ?? null);
  },
});

/** Finds a product by its UUID or by any slug that it ever had. */
export async function findProduct(pool: pg.Pool, ref: string): Promise<ProductView | null> {
  return isReference(ref) ? ((await findOffering(pool, ref))?.product ?? null) : null;
}

/** What a badge says of a product. */
export type BadgeFacts = { isListed: boolean; hasSeal: boolean };

/** Whether a product is listed now, and has the seal; null for a draft, as for an unknown name. */
export const findBadgeFacts = batchStatement<string, BadgeFacts | null>({
  async many(pool, refs) {
    const distinct = [...new Set(refs)];
    const { rows } = await pool.query<BadgeFacts & { ref: string }>({
      name: 'find_badge_facts',
      text: `
        select asked.ref, facts.*
        from ${ASKED} cross join lateral (select p.state = 'listed' as "isListed", ${HAS_SEAL}
          from product p ${SEAL_OF_PRODUCT}
          where p.id = asked.id and p.state in ('listed', 'unlisted')
          limit 1) facts`,
      values: [distinct.map((ref) => splitReference(ref)[0]), distinct],
    });
    const found = new Map(rows.map(({ ref, ...facts }) => [ref, facts]));
    return refs.map((ref) => found.get(ref) ?? null);
  },
});

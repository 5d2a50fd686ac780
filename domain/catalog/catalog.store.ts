import type pg from 'pg';
import { rows, type EntityManager } from '../platform/database.ts';
import { hashCredential, isWellFormedCredential, parseUuid } from '../platform/ids.ts';

export type ProductView = {
  id: string;
  slug: string;
  name: string;
  tagline: string;
  state: 'draft' | 'listed' | 'unlisted' | 'removed';
  delivery: 'entitlement_api' | 'external_store' | 'affiliate';
  includedWithMember: boolean;
  ownerPersonId: string;
  sellerName: string;
  isSellerVerified: boolean;
  payoutAccount: string | null;
  canSellerCharge: boolean;
};

export type PriceView = {
  priceId: string;
  offerId: string;
  amountMinor: number;
  currency: string;
  isBase: boolean;
};

export type KeyHolder = { keyId: string; productId: string; mode: 'live' | 'test' };

const PRODUCT_VIEW = `
  select p.id, s.slug, p.name, p.tagline, p.state, p.delivery,
    p.included_with_member as "includedWithMember", p.owner_person_id as "ownerPersonId",
    o.display_name as "sellerName",
    o.builder_verified_at is not null and o.email_verified_at is not null as "isSellerVerified",
    a.processor_account as "payoutAccount", coalesce(a.can_charge, false) as "canSellerCharge"
  from product p
  join product_slug s on s.product_id = p.id and s.is_current
  join person o on o.id = p.owner_person_id
  left join payout_account a on a.person_id = o.id`;

/** A product by UUID or by any slug it ever had. */
export async function findProduct(em: EntityManager, ref: string): Promise<ProductView | null> {
  const id = parseUuid(ref);
  const where = id ? 'p.id = ?' : 'p.id = (select product_id from product_slug where slug = ?)';
  const [found] = await rows<ProductView>(em, `${PRODUCT_VIEW} where ${where}`, [id ?? ref]);
  return found ?? null;
}

export async function listListedProducts(em: EntityManager): Promise<ProductView[]> {
  return rows(
    em,
    `${PRODUCT_VIEW} where p.state = 'listed' order by p.listed_at desc, p.id limit 60`,
  );
}

export async function listProductsOf(
  em: EntityManager,
  ownerPersonId: string,
): Promise<ProductView[]> {
  return rows(
    em,
    `${PRODUCT_VIEW} where p.owner_person_id = ? and p.state <> 'removed' order by p.created_at, p.id limit 100`,
    [ownerPersonId],
  );
}

/** The active prices of the product's default one-time offer, the base price first. */
export async function listPrices(em: EntityManager, productId: string): Promise<PriceView[]> {
  const found = await rows<Omit<PriceView, 'amountMinor'> & { amountMinor: string }>(
    em,
    `select r.id as "priceId", r.offer_id as "offerId", r.amount_minor as "amountMinor",
       r.currency, r.is_base as "isBase"
     from price r join offer o on o.id = r.offer_id
     where o.product_id = ? and o.kind = 'one_time' and o.is_default and o.retired_at is null and r.retired_at is null
     order by r.is_base desc, r.currency`,
    [productId],
  );
  return found.map((price) => ({ ...price, amountMinor: Number(price.amountMinor) }));
}

/** The product a live key stands for; null for a key that is unknown, expired or revoked. */
export async function findKeyHolder(pool: pg.Pool, key: string): Promise<KeyHolder | null> {
  const isOurs = isWellFormedCredential(key, 'gk_live_') || isWellFormedCredential(key, 'gk_test_');
  if (!isOurs) return null;
  const { rows: found } = await pool.query<KeyHolder>({
    name: 'find_key_holder',
    text: `select k.id as "keyId", k.product_id as "productId", k.mode
      from api_key k join product p on p.id = k.product_id and p.state <> 'removed'
      where k.key_hash = $1 and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > gatehouse_now())`,
    values: [hashCredential(key)],
  });
  return found[0] ?? null;
}

/** Whether a person has products that are not removed: they need their owner. */
export async function ownsProducts(em: EntityManager, personId: string): Promise<boolean> {
  const owned = await rows(
    em,
    `select 1 from product where owner_person_id = ? and state <> 'removed' limit 1`,
    [personId],
  );
  return owned.length > 0;
}

import type pg from 'pg';
import { isLiveAt, LONGEST } from './memberships/membership.repository.ts';
import type { AccessType, GrantType } from './effective-access.ts';

/** One reason why a product may be used now. */
export type Through = { type: AccessType; source: string; endsAt: Date | null };

export type LibraryItem = {
  productId: string;
  slug: string;
  name: string;
  hasPage: boolean;
  through: Through[];
  /** A live membership that has not activated the product. */
  isToOpen: boolean;
};

export type LibraryPage = { items: LibraryItem[]; next: string | null };

const PAGE = 50;

// Counts what the check counts: live sources, and a live membership of an Included product.
const OWNED = `
  with running as (
    select g.product_id, g.type, g.source, least(g.ends_at, g.withdrawn_at) as ends_at
    from entitlement e
    join access_grant g on g.product_id = e.product_id and g.person_id = e.person_id
    where e.person_id = $1 and g.starts_at <= gatehouse_now()
      and coalesce(least(g.ends_at, g.withdrawn_at) > gatehouse_now(), true)
  ), member as (
    select m.id, m.ends_at from membership m
    where m.person_id = $1 and ${isLiveAt('gatehouse_now()')}
  ), included as (
    select p.id as product_id, longest.ends_at, not exists (
      select from membership_activation o join member m on m.id = o.membership_id
      where o.product_id = p.id and o.closed_at is null) as is_to_open
    from (select m.ends_at from member m ${LONGEST}) longest
    join product p on p.included_with_member and p.state in ('listed', 'unlisted')
  ), owned as (
    select product_id from running union select product_id from included
  )
  select p.id as "productId", p.name,
    (select s.slug from product_slug s where s.product_id = p.id and s.is_current) as slug,
    p.state in ('listed', 'unlisted') as "hasPage",
    (select json_agg(json_build_object('type', r.type, 'source', r.source, 'endsAt', r.ends_at)
       order by array_position('{purchase,subscription,complimentary}', r.type), r.source)
     from running r where r.product_id = p.id) as grants,
    i.ends_at as "memberEndsAt", i.is_to_open as "isToOpen"
  from owned o
  join product p on p.id = o.product_id
  left join included i on i.product_id = p.id
  where $2::uuid is null or (lower(p.name), p.id) > (
    select lower(b.name), b.id from owned x join product b on b.id = x.product_id where b.id = $2)
  order by lower(p.name), p.id limit ${PAGE + 1}`;

type Row = Omit<LibraryItem, 'through' | 'isToOpen'> & {
  grants: { type: GrantType; source: string; endsAt: string | null }[] | null;
  memberEndsAt: Date | null;
  /** Null when no membership reaches the product. */
  isToOpen: boolean | null;
};

/** A page of the products that a person may use now, each once, by name. */
export async function listLibrary(
  pool: pg.Pool,
  { personId, after }: { personId: string; after: string | null },
): Promise<LibraryPage> {
  const { rows } = await pool.query<Row>(OWNED, [personId, after]);
  const items = rows.slice(0, PAGE).map(present);
  return { items, next: rows.length > PAGE ? items.at(-1)!.productId : null };
}

function present({ grants, memberEndsAt, isToOpen, ...product }: Row): LibraryItem {
  const through: Through[] = (grants ?? []).map((grant) => ({
    ...grant,
    endsAt: grant.endsAt === null ? null : new Date(grant.endsAt),
  }));
  if (isToOpen !== null) through.push({ type: 'member', source: 'member', endsAt: memberEndsAt });
  return { ...product, through, isToOpen: isToOpen === true };
}

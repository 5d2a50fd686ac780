import { batchStatement } from '../../../platform/database/batcher.ts';
import { SHOWS_ENTITLEMENT } from '../scope.ts';

export type Bearer = {
  personId: string;
  clientId: string;
  productId: string | null;
  scopes: string[];
  handle: string;
  displayName: string;
  imageName: string | null;
  /** A member of the team that owns the product, or its lone owner. */
  isOwnTeam: boolean;
  /** The instant of the read, by the database's clock. */
  at: Date;
};

/**
 * SQL, of `input` (hash, bucket, access_of, place, second): the person of each token, and its product
 * when access is wanted and granted. A revoked or expired token has no row. Gone: the person
 * or the client was deleted, also of a revoked token; it is not counted. `more`: further columns of
 * `input`.
 */
export const bearersOf = (input: string, more = '') => `
  select place, second${more}, case when not b.is_gone then bucket end as bucket, b.*,
    case when access_of and ${SHOWS_ENTITLEMENT} then "productId" end as product_id
  from ${input} join lateral (
    select t.person_id, t.client_id as "clientId", c.product_id as "productId", t.scope, person.handle,
      person.display_name as "displayName", person.image_name as "imageName", coalesce(product.included_with_member, false) as is_included,
      person.deleted_at is not null or c.deleted_at is not null as is_gone,
      t.revoked_at is null and t.expires_at > gatehouse_now() and c.disabled_at is null
        and coalesce(product.state, '') <> 'removed' as is_valid,
      coalesce(product.owner_person_id = t.person_id, exists (
        select 1 from team_member m where m.team_id = product.owner_team_id and m.person_id = t.person_id
      )) as "isOwnTeam",
      (select gatehouse_now()) as at
    from access_token t
    join person on person.id = t.person_id
    join oauth_client c on c.id = t.client_id
    left join product on product.id = c.product_id
    where t.token_hash = input.hash
  ) b on is_gone or is_valid`;

type Key = { productId: string; personId: string };

type SignedIn = {
  isSignedIn: boolean;
  /** The instant of the read, by the database's clock. */
  at: Date;
};

const READ_SIGNED_IN = `
  select clock.at, exists (
    select 1 from access_token t join oauth_client c on c.id = t.client_id
    where t.person_id = key.person_id and c.product_id = key.product_id
      and t.revoked_at is null and t.expires_at > clock.at
      and c.disabled_at is null and c.deleted_at is null
  ) as "isSignedIn"
  from unnest($1::uuid[], $2::uuid[]) with ordinality key (product_id, person_id, place)
  cross join (select gatehouse_now() as at) clock order by key.place`;

/** Signed in to a product: a live token of one of its clients exists. */
export const readSignedIn = batchStatement<Key, SignedIn>({
  async many(pool, keys) {
    const { rows } = await pool.query<SignedIn>({
      name: 'read_signed_in',
      text: READ_SIGNED_IN,
      values: [keys.map(({ productId }) => productId), keys.map(({ personId }) => personId)],
    });
    return rows;
  },
});

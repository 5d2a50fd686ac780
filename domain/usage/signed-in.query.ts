import { batchStatement } from '../../platform/database/batcher.ts';

type Key = { productId: string; personId: string };

type SignedIn = {
  isSignedIn: boolean;
  /** By the database's clock. */
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

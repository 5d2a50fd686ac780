import { shareStatement } from '../../platform/database/batcher.ts';

type Asked = { productId: string; personId: string };

type SignedIn = {
  isSignedIn: boolean;
  /** By the database's clock. */
  at: Date;
};

const signedInOf = (asked: string) => `
  select asked.n, clock.at, exists (
    select 1 from access_token t join oauth_client c on c.id = t.client_id
    where t.person_id = asked.person_id and c.product_id = asked.product_id
      and t.revoked_at is null and t.expires_at > clock.at
      and c.disabled_at is null and c.deleted_at is null
  ) as "isSignedIn"
  from ${asked} cross join (select gatehouse_now() as at) clock`;

const READ_ONE = signedInOf('(select 1 as n, $1::uuid as product_id, $2::uuid as person_id) asked');
const READ_MANY = signedInOf(
  'unnest($1::uuid[], $2::uuid[]) with ordinality asked (product_id, person_id, n)',
);

/** Signed in to a product: a live token of one of its clients exists. */
export const readSignedIn = shareStatement<Asked, SignedIn>({
  async one(pool, { productId, personId }) {
    const { rows } = await pool.query<SignedIn>({
      name: 'read_signed_in',
      text: READ_ONE,
      values: [productId, personId],
    });
    return rows[0]!;
  },
  async many(pool, asked) {
    const { rows } = await pool.query<SignedIn & { n: string }>({
      name: 'read_signed_ins',
      text: READ_MANY,
      values: [asked.map(({ productId }) => productId), asked.map(({ personId }) => personId)],
    });
    const byNumber = new Map(rows.map((row) => [Number(row.n), row]));
    return asked.map((_, index) => byNumber.get(index + 1)!);
  },
});

import { shareStatement } from '../platform/batch.ts';

type Asked = { productId: string; personId: string };

export type UsageStanding = {
  /** The database's clock, whose UTC date is the day of a report. */
  at: Date;
  /** A member of the product's own team, or its lone owner. */
  isOwnTeam: boolean;
  /** Holds an unexpired, unrevoked token of one of the product's clients. */
  isSignedIn: boolean;
};

const standingOf = (asked: string) => `
  select asked.n, clock.at,
    exists (
      select 1 from product p where p.id = asked.product_id and (
        p.owner_person_id = asked.person_id or exists (
          select 1 from team_member m
          where m.team_id = p.owner_team_id and m.person_id = asked.person_id))
    ) as "isOwnTeam",
    exists (
      select 1 from access_token t join oauth_client c on c.id = t.client_id
      where t.person_id = asked.person_id and c.product_id = asked.product_id
        and t.revoked_at is null and t.expires_at > clock.at
        and c.disabled_at is null and c.deleted_at is null
    ) as "isSignedIn"
  from ${asked} cross join (select gatehouse_now() as at) clock`;

const FIND_ONE = standingOf('(select 1 as n, $1::uuid as product_id, $2::uuid as person_id) asked');
const FIND_MANY = standingOf(
  'unnest($1::uuid[], $2::uuid[]) with ordinality asked (product_id, person_id, n)',
);

/** What a person is to a product whose use is reported. */
export const readUsageStanding = shareStatement<Asked, UsageStanding>({
  async one(pool, { productId, personId }) {
    const { rows } = await pool.query<UsageStanding>({
      name: 'read_usage_standing',
      text: FIND_ONE,
      values: [productId, personId],
    });
    return rows[0]!;
  },
  async many(pool, asked) {
    const { rows } = await pool.query<UsageStanding & { n: string }>({
      name: 'read_usage_standings',
      text: FIND_MANY,
      values: [asked.map(({ productId }) => productId), asked.map(({ personId }) => personId)],
    });
    const byNumber = new Map(rows.map((row) => [Number(row.n), row]));
    return asked.map((_, index) => byNumber.get(index + 1)!);
  },
});

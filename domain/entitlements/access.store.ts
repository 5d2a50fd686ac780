import { shareStatement } from '../platform/batch.ts';
import type { AccessKey } from './entitlement.store.ts';
import { isLiveAt } from './membership.store.ts';
import { decideUnion, withMembership, type GrantType, type Source, type Union } from './union.ts';

export type AccessRow = {
  type: GrantType | null;
  source: string | null;
  ends_at: Date | null;
  is_active: boolean;
  sources: Record<string, string | null>[] | null;
  /** The instant of the answer, where the sources are there to be judged. */
  at: Date | null;
  has_membership: boolean;
  membership_ends_at: Date | null;
};

// The stored union holds until `recheck_at`; past it the same statement brings the sources along.
const IS_STALE = 'e.recheck_at <= clock.at';

/** In SQL, with ACCESS_JOINS, for each row of `asked` with its product_id and person_id. */
export const ACCESS_COLUMNS = `
  e.type, e.source, e.ends_at,
  e.type is not null and (e.ends_at is null or e.ends_at > clock.at) as is_active,
  case when ${IS_STALE} then (
    select json_agg(g) from access_grant g
    where g.product_id = asked.product_id and g.person_id = asked.person_id
  ) end as sources,
  case when ${IS_STALE} then clock.at end as at,
  m.id is not null as has_membership, m.ends_at as membership_ends_at`;

export const ACCESS_JOINS = `
  cross join (select gatehouse_now() as at) clock
  left join entitlement e on e.product_id = asked.product_id and e.person_id = asked.person_id
  left join product p on p.id = asked.product_id and p.included_with_member
  left join membership m on p.id is not null and m.person_id = asked.person_id
    and ${isLiveAt('clock.at')}`;

const READ_ONE = `select ${ACCESS_COLUMNS}
  from (values ($1::uuid, $2::uuid)) asked (product_id, person_id) ${ACCESS_JOINS}`;
const READ_MANY = `select ${ACCESS_COLUMNS}
  from unnest($1::uuid[], $2::uuid[]) with ordinality asked (product_id, person_id, place)
  ${ACCESS_JOINS} order by place`;

/** What a person may use right now: the answer of the entitlement check. */
export const readAccess = shareStatement<AccessKey, Union>({
  async one(pool, { productId, personId }) {
    const { rows } = await pool.query<AccessRow>({
      name: 'read_access',
      text: READ_ONE,
      values: [productId, personId],
    });
    return toUnion(rows[0]!);
  },
  async many(pool, keys) {
    const { rows } = await pool.query<AccessRow>({
      name: 'read_accesses',
      text: READ_MANY,
      values: [keys.map(({ productId }) => productId), keys.map(({ personId }) => personId)],
    });
    return rows.map(toUnion);
  },
});

export function toUnion(row: AccessRow): Union {
  const { sources, at, is_active: isActive, type, source, ends_at: endsAt } = row;
  const stored = { isActive, type, source, endsAt };
  const union = sources && at ? decideUnion(sources.map(toSource), at) : stored;
  return withMembership(union, row.has_membership ? { endsAt: row.membership_ends_at } : null);
}

function toSource(grant: Record<string, string | null>): Source {
  const instant = (text: string | null | undefined) => (text ? new Date(text) : null);
  return {
    type: grant['type'] as GrantType,
    source: grant['source'] ?? '',
    startsAt: instant(grant['starts_at'])!,
    endsAt: instant(grant['ends_at']),
    withdrawnAt: instant(grant['withdrawn_at']),
  };
}

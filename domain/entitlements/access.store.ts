import { shareStatement } from '../platform/batch.ts';
import type { AccessKey } from './entitlement.store.ts';
import { isLiveAt } from './membership.store.ts';
import { decideUnion, withMembership, type GrantType, type Source, type Union } from './union.ts';

type AccessRow = {
  n: string;
  type: GrantType | null;
  source: string | null;
  ends_at: Date | null;
  at: Date;
  sources: Record<string, string | null>[] | null;
  has_membership: boolean;
  membership_ends_at: Date | null;
};

// The stored union holds until `recheck_at`; past it the same statement brings the sources along.
const readAccessOf = (asked: string) => `
  select asked.n, e.type, e.source, e.ends_at, clock.at,
    case when e.recheck_at <= clock.at then (
      select json_agg(g) from access_grant g
      where g.product_id = asked.product_id and g.person_id = asked.person_id
    ) end as sources,
    m.id is not null as has_membership, m.ends_at as membership_ends_at
  from ${asked}
  cross join (select gatehouse_now() as at) clock
  left join entitlement e on e.product_id = asked.product_id and e.person_id = asked.person_id
  left join product p on p.id = asked.product_id and p.included_with_member
  left join membership m on p.id is not null and m.person_id = asked.person_id
    and ${isLiveAt('clock.at')}`;

const READ_ONE = readAccessOf(
  '(select 1 as n, $1::uuid as product_id, $2::uuid as person_id) asked',
);
const READ_MANY = readAccessOf(
  'unnest($1::uuid[], $2::uuid[]) with ordinality asked (product_id, person_id, n)',
);

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
    const unions = new Map(rows.map((row) => [Number(row.n), toUnion(row)]));
    return keys.map((_, index) => unions.get(index + 1)!);
  },
});

function toUnion(row: AccessRow): Union {
  const union = row.sources ? decideUnion(row.sources.map(toSource), row.at) : storedUnion(row);
  return withMembership(union, row.has_membership ? { endsAt: row.membership_ends_at } : null);
}

function storedUnion(row: AccessRow): Union {
  const isActive = row.type !== null && (row.ends_at === null || row.ends_at > row.at);
  return { isActive, type: row.type, source: row.source, endsAt: row.ends_at };
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

import { batchStatement } from '../../platform/database/batcher.ts';
import type { AccessKey } from './entitlement.repository.ts';
import {
  decideEffectiveAccess,
  type AccessType,
  type GrantType,
  type Source,
  type EffectiveAccess,
} from './effective-access.ts';
import { withMembership } from './memberships/membership-access.ts';

/** The columns of STORED_ACCESS. */
export type StoredAccess = {
  type: AccessType | null;
  source: string | null;
  endsAt: Date | null;
  isActive: boolean | null;
};

type AccessRow = {
  type: AccessType | null;
  source: string | null;
  ends_at: Date | null;
  is_active: boolean;
  /** Set when the stored access may be outdated: its sources, and the instant to decide at. */
  stale: { at: string; sources: Record<string, string | null>[] | null } | null;
  /** Set when the product is Included. */
  membership: { ends_at: string | null } | null;
};

/** SQL, of a membership `m`: it has begun and has not ended. */
export const IS_RUNNING = `m.status in ('active', 'past_due', 'canceling')`;

/** SQL, of a membership `m`: it gives access at the instant, as by `isLive`. */
export const isLiveAt = (instant: string) =>
  `m.withdrawn_at is null and (m.ends_at > ${instant} or m.ends_at is null and ${IS_RUNNING})`;

/** SQL, of memberships `m`: the one that lasts longest. */
const LATEST = 'order by m.ends_at desc nulls first, m.id limit 1';

const IS_ACTIVE = 'e.type is not null and (e.ends_at is null or e.ends_at > gatehouse_now())';

/**
 * SQL, with ACCESS_JOIN, of each row of `request` with its product_id, person_id and is_included: the
 * stored access, and whether it is active; null when the stored access does not decide it.
 */
export const STORED_ACCESS = `
  e.type, e.source, e.ends_at as "endsAt",
  case when not request.is_included and (e.recheck_at is null or e.recheck_at > gatehouse_now())
    then ${IS_ACTIVE} end as "isActive"`;

export const ACCESS_JOIN =
  'left join entitlement e on e.product_id = request.product_id and e.person_id = request.person_id';

// The stored access holds until `recheck_at`; after it the same statement reads the sources too.
const READ_ACCESS = `
  with request as (
    select input.*, coalesce(p.included_with_member, false) as is_included
    from unnest($1::uuid[], $2::uuid[]) with ordinality input (product_id, person_id, place)
    left join product p on p.id = input.product_id
  )
  select e.type, e.source, e.ends_at, ${IS_ACTIVE} as is_active,
    case when e.recheck_at <= gatehouse_now() then (
      select json_build_object('at', gatehouse_now(), 'sources', json_agg(g)) from access_grant g
      where g.product_id = request.product_id and g.person_id = request.person_id
    ) end as stale,
    case when request.is_included then (
      select json_build_object('ends_at', m.ends_at) from membership m
      where m.person_id = request.person_id and ${isLiveAt('gatehouse_now()')} ${LATEST}
    ) end as membership
  from request ${ACCESS_JOIN} order by place`;

/** Returns null when the access has to be read with its sources. */
export function toStored(row: StoredAccess): EffectiveAccess | null {
  const { isActive, type, source, endsAt } = row;
  return isActive === null ? null : { isActive, type, source, endsAt };
}

/** The effective access now: the response of the entitlement check. */
export const readAccess = batchStatement<AccessKey, EffectiveAccess>({
  async many(pool, keys) {
    const { rows } = await pool.query<AccessRow>({
      name: 'read_access',
      text: READ_ACCESS,
      values: [keys.map(({ productId }) => productId), keys.map(({ personId }) => personId)],
    });
    return rows.map(toEffectiveAccess);
  },
});

function toEffectiveAccess(row: AccessRow): EffectiveAccess {
  const { stale, membership } = row;
  const access = stale
    ? decideEffectiveAccess((stale.sources ?? []).map(toSource), new Date(stale.at))
    : presentStored(row);
  return withMembership(access, membership && { endsAt: toInstant(membership.ends_at) });
}

function presentStored({ is_active, type, source, ends_at }: AccessRow): EffectiveAccess {
  return { isActive: is_active, type, source, endsAt: ends_at };
}

function toSource(grant: Record<string, string | null>): Source {
  return {
    type: grant['type'] as GrantType,
    source: grant['source'] ?? '',
    startsAt: toInstant(grant['starts_at'])!,
    endsAt: toInstant(grant['ends_at']),
    withdrawnAt: toInstant(grant['withdrawn_at']),
  };
}

function toInstant(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}

import { rows, type EntityManager } from '../../../platform/database/database.ts';

/** The status of a person who wants to sell without a team. */
export type BuilderStatus = 'unconfirmed' | 'none' | 'waiting' | 'verified';

export async function findBuilderStatus(
  em: EntityManager,
  personId: string,
): Promise<BuilderStatus> {
  const [found] = await rows<{ builderStatus: BuilderStatus }>(
    em,
    `select case when email_verified_at is null then 'unconfirmed'
       when builder_verified_at is not null then 'verified'
       when builder_requested_at is not null then 'waiting' else 'none' end as "builderStatus"
     from person where id = ?`,
    [personId],
  );
  return found?.builderStatus ?? 'none';
}

/**
 * False when there is nothing to request: requested or verified already, or the address is not
 * confirmed.
 */
export async function requestVerification(em: EntityManager, personId: string): Promise<boolean> {
  const asked = await rows(
    em,
    `update person set builder_requested_at = gatehouse_now()
     where id = ? and deleted_at is null and email_verified_at is not null
       and builder_verified_at is null and builder_requested_at is null returning 1`,
    [personId],
  );
  return asked.length === 1;
}

const DECISIONS = {
  verify: {
    change: 'builder_verified_at = gatehouse_now()',
    where: 'builder_verified_at is null and email_verified_at is not null',
  },
  decline: {
    change: 'builder_requested_at = null',
    where: 'builder_verified_at is null and builder_requested_at is not null',
  },
  withdraw: {
    change: 'builder_verified_at = null, builder_requested_at = null',
    where: 'builder_verified_at is not null',
  },
} as const;

export type BuilderDecision = keyof typeof DECISIONS;

/** The address for the mail, or null when another decision came first. */
export async function decideBuilder(
  em: EntityManager,
  { personId, decision }: { personId: string; decision: BuilderDecision },
): Promise<{ address: string } | null> {
  const { change, where } = DECISIONS[decision];
  const [decided] = await rows<{ address: string }>(
    em,
    `update person set ${change} where id = ? and deleted_at is null and ${where}
     returning email as address`,
    [personId],
  );
  return decided ?? null;
}

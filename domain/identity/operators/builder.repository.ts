import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, CLOCK, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { Person } from '../person.entity.ts';

/** The status of a person who wants to sell without a team. */
type BuilderStatus = 'unconfirmed' | 'none' | 'waiting' | 'verified';

export type BuilderState = {
  status: BuilderStatus;
  /** Why the last request was declined. */
  declinedFor: string | null;
};

export async function findBuilderState(em: EntityManager, personId: string): Promise<BuilderState> {
  const person = await kysely(em)
    .selectFrom('person')
    .select(['emailVerifiedAt', 'builderVerifiedAt', 'builderRequestedAt', 'builderDeclinedFor'])
    .where('id', '=', personId)
    .executeTakeFirst();
  if (!person) return { status: 'none', declinedFor: null };
  const { builderDeclinedFor: declinedFor, ...facts } = person;
  return { status: toStatus(facts), declinedFor };
}

function toStatus(person: {
  emailVerifiedAt: Date | null;
  builderVerifiedAt: Date | null;
  builderRequestedAt: Date | null;
}): BuilderStatus {
  if (!person.emailVerifiedAt) return 'unconfirmed';
  if (person.builderVerifiedAt) return 'verified';
  return person.builderRequestedAt ? 'waiting' : 'none';
}

/**
 * Records a request. Returns false when there is nothing to request: requested or verified already, or the address is not
 * confirmed.
 */
export async function markRequested(em: EntityManager, personId: string): Promise<boolean> {
  const requested = await em.nativeUpdate(
    Person,
    {
      id: personId,
      deletedAt: null,
      emailVerifiedAt: { $ne: null },
      builderVerifiedAt: null,
      builderRequestedAt: null,
    },
    { builderRequestedAt: CLOCK, builderDeclinedFor: null },
  );
  return requested === 1;
}

const CHANGES = {
  verify: { builderVerifiedAt: NOW, builderRevokedAt: null, builderDeclinedFor: null },
  decline: { builderRequestedAt: null },
  withdraw: { builderVerifiedAt: null, builderRevokedAt: NOW, builderRequestedAt: null },
} as const;

export type BuilderDecision = keyof typeof CHANGES;

export const BUILDER_DECISIONS = Object.keys(CHANGES) as BuilderDecision[];

/**
 * Finds those of the people whose verification was revoked. A decision about them waits until the
 * transaction ends.
 */
export async function holdRevoked(
  em: EntityManager,
  personIds: readonly string[],
): Promise<Set<string>> {
  const people = await kysely(em)
    .selectFrom('person')
    .select(['id', 'builderRevokedAt'])
    .where('id', '=', anyOf(personIds))
    .orderBy('id')
    .forShare()
    .execute();
  return new Set(people.flatMap(({ id, builderRevokedAt }) => (builderRevokedAt ? [id] : [])));
}

/** True when an operator revoked the person's verification. */
export async function isRevoked(em: EntityManager, personId: string): Promise<boolean> {
  return (await em.count(Person, { id: personId, builderRevokedAt: { $ne: null } })) > 0;
}

/** Records a decision. Returns the address for the mail, or null when another decision came first. */
export async function decideBuilder(
  em: EntityManager,
  { personId, decision, reason }: { personId: string; decision: BuilderDecision; reason: string },
): Promise<{ address: string } | null> {
  const decided = await kysely(em)
    .updateTable('person')
    .set({
      ...CHANGES[decision],
      ...(decision === 'decline' ? { builderDeclinedFor: reason } : {}),
    })
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .where(decision === 'withdraw' ? 'builderRevokedAt' : 'builderVerifiedAt', 'is', null)
    .$if(decision === 'verify', (query) => query.where('emailVerifiedAt', 'is not', null))
    .$if(decision === 'decline', (query) => query.where('builderRequestedAt', 'is not', null))
    .returning('email as address')
    .executeTakeFirst();
  return decided ?? null;
}

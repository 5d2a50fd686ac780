import { sql, type NotNull } from 'kysely';
import { withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  Membership,
  type MembershipRow,
} from '../../entitlements/memberships/membership.entity.ts';
import {
  recordMembershipChange,
  RUNNING,
} from '../../entitlements/memberships/membership.repository.ts';
import { holdPerson } from '../../identity/account.repository.ts';
import { membershipWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW, CLOCK } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { MemberPriceView } from './member-price.repository.ts';

type Terms = 'priceId' | 'amountMinor' | 'currency' | 'billingInterval';

/** A membership with terms. */
export type PaidMembership = Omit<MembershipRow, Terms> & {
  [Term in Terms]: NonNullable<MembershipRow[Term]>;
};

export async function lockMembership(em: EntityManager, id: string): Promise<PaidMembership> {
  const row = await em.findOneOrFail(Membership, { id }, LOCK);
  const { priceId, amountMinor, currency, billingInterval } = row;
  if (!priceId || !amountMinor || !currency || !billingInterval) {
    throw new Error(`membership ${id} was given: nothing is charged for it`);
  }
  return { ...row, priceId, amountMinor, currency, billingInterval };
}

export type OpenMembership = NonNullable<Awaited<ReturnType<typeof findOpenMembership>>>;

export async function findOpenMembership(em: EntityManager, personId: string) {
  const open = await kysely(em)
    .selectFrom('membership')
    .select(['id as membershipId', 'priceId', 'sessionId', 'sessionUrl'])
    .where('personId', '=', personId)
    .where('status', '=', 'incomplete')
    .$narrowType<{ priceId: NotNull }>()
    .executeTakeFirst();
  return open ?? null;
}

/**
 * Commits the intent to subscribe on the current terms. Null when another request of the same
 * person was first: a unique index decides. When two memberships begin at the same moment, another
 * index refuses the second, and its money is refunded.
 */
export async function openMembership(
  em: EntityManager,
  { personId, price }: { personId: string; price: MemberPriceView },
): Promise<OpenMembership | null | Refusal<'already_member'>> {
  if (!(await holdPerson(em, personId)) || (await isRunning(em, personId))) {
    return refuse('already_member');
  }
  const { priceId, amountMinor, currency, billingInterval } = price;
  const terms = { priceId, amountMinor, currency, billingInterval };
  const askAgainAt = fromNow('10 minutes');
  const opened = await kysely(em)
    .insertInto('membership')
    .values({ id: newUuid(), personId, status: 'incomplete', ...terms, askAgainAt })
    .onConflict((conflict) =>
      conflict.column('personId').where('status', '=', sql.lit('incomplete')).doNothing(),
    )
    .returning('id as membershipId')
    .executeTakeFirst();
  return opened ? { ...opened, priceId, sessionId: null, sessionUrl: null } : null;
}

export async function isRunning(em: EntityManager, personId: string): Promise<boolean> {
  const running = await kysely(em)
    .selectFrom('membership')
    .select('id')
    .where('personId', '=', personId)
    .where('status', 'in', RUNNING)
    .executeTakeFirst();
  return running !== undefined;
}

/** False when another checkout replaced it meanwhile; the session is recorded all the same. */
export async function attachMemberSession(
  em: EntityManager,
  membershipId: string,
  { sessionId, url, expiresAt }: { sessionId: string; url: string; expiresAt: Date },
): Promise<boolean> {
  const attached = await kysely(em)
    .updateTable('membership')
    .set(({ fn, val }) => ({
      sessionId: fn.coalesce('sessionId', val(sessionId)),
      sessionUrl: fn.coalesce('sessionUrl', val(url)),
      sessionExpiresAt: expiresAt,
      askAgainAt: fromNow('1 hour'),
    }))
    .where('id', '=', membershipId)
    .returning('status')
    .executeTakeFirst();
  return attached?.status === 'incomplete';
}

/** Makes place for another checkout; money that comes all the same is refunded. */
export async function replaceMembership(
  em: EntityManager,
  { membershipId, sessionId }: OpenMembership,
): Promise<void> {
  const asRead = { id: membershipId, status: 'incomplete' as const, sessionId };
  const ended = { status: 'ended' as const, endedAt: CLOCK, endsAt: CLOCK };
  await em.nativeUpdate(Membership, asRead, ended);
}

/**
 * Ends the memberships of a deleted account here at once; their workflows end them at the
 * processor. A refund that came back has nobody to serve.
 */
export async function closeMembershipsOf(em: EntityManager, personId: string): Promise<void> {
  const closed = await kysely(em)
    .updateTable('membership')
    .set(({ eb, fn, ref }) => ({
      status: 'ended',
      endedAt: NOW,
      requestedChange: null,
      endsAt: fn<Date>('least', [ref('endsAt'), NOW]),
      isClosing: eb('processorId', 'is not', null).$castTo<boolean>(),
      askAgainAt: eb.case().when('priceId', 'is not', null).then(fromNow('1 hour')).end(),
    }))
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('membership')
        .select('id')
        .where('personId', '=', personId)
        .where(({ eb, or }) => or([eb('status', '<>', 'ended'), eb('endsAt', '>', NOW)]))
        .orderBy('id')
        .forUpdate(),
    )
    .returning('id')
    .execute();
  for (const { id } of closed) {
    await recordMembershipChange(em, { membershipId: id, reason: 'withdrawn' });
  }
  const targets = closed.map(({ id }) => membershipWorkflow(id));
  await sendToWorkflows(em, targets, { kind: 'close' });
}

/**
 * A checkout came to nothing: its session ended or was never opened, it was replaced, or the person
 * is gone. Nobody asks the processor again.
 */
export async function abandonMembership(
  em: EntityManager,
  { membershipId, sequence }: { membershipId: string; sequence: number },
): Promise<void> {
  await kysely(em)
    .updateTable('membership')
    .set(({ fn }) => ({
      status: 'ended',
      endedAt: fn.coalesce('endedAt', NOW),
      endsAt: fn.coalesce('endsAt', NOW),
      askAgainAt: null,
      appliedSequence: sequence,
    }))
    .where('id', '=', membershipId)
    .where('status', 'in', ['incomplete', 'ended'])
    .where('processorId', 'is', null)
    .where('appliedSequence', '<', sequence)
    .execute();
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: membershipId });
}

/** Nothing is paid yet. */
export async function keepAsking(em: EntityManager, membershipId: string): Promise<void> {
  await kysely(em)
    .updateTable('membership')
    .set({ askAgainAt: fromNow('1 hour') })
    .where('id', '=', membershipId)
    .where('status', '=', 'incomplete')
    .execute();
  await withdrawAlerts(em, { kinds: ['processor_state'], subject: membershipId });
}

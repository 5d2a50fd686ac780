import { Membership } from '../../entitlements/memberships/membership.entity.ts';
import { isLive } from '../../entitlements/memberships/membership.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { decideDue, waitForDueMs, type Due } from '../recurring/next-check.ts';
import { MINUTE_MS } from '../../shared/instant.ts';
import { restOf } from './membership-move.ts';
import { RETURN_EVENTS } from '../processor-inbox/event-type.ts';
import {
  sessionInEventsOf,
  unhandledEventsOf,
} from '../processor-inbox/covered-events.repository.ts';
import {
  dueRefundsOf,
  openIntentsOf,
  openRefundsOf,
  paidChargesOf,
  receivedPaymentsOf,
  type OpenIntent,
  type PaidCharge,
} from '../refunds/refund.repository.ts';

/** A membership as its person sees it. */
export type MembershipView = NonNullable<Awaited<ReturnType<typeof findMembershipOf>>>;

/** Finds the running membership, else the one that is being paid for, else the last one. */
export async function findMembershipOf(em: EntityManager, personId: string) {
  const found = await kysely(em)
    .selectFrom('membership')
    .select(['id as membershipId', 'processorId', 'status', 'requestedChange'])
    .select(['amountMinor', 'currency', 'billingInterval', 'periodEnd'])
    .select(['graceEndsAt', 'cancelAt', 'endedAt'])
    // The membership ended and gives access until then, because its money came back.
    .select(({ and, eb, ref }) =>
      eb
        .case()
        .when(and([eb('status', '=', 'ended'), isLive()]))
        .then(ref('endsAt'))
        .end()
        .as('servedUntil'),
    )
    .where('personId', '=', personId)
    .where(({ eb, or }) => or([eb('status', '<>', 'ended'), eb('periodEnd', 'is not', null)]))
    .orderBy(({ eb }) => eb('status', '=', 'ended'))
    .orderBy(({ eb }) => eb('status', '=', 'incomplete'))
    .orderBy(({ eb, lit }) => eb(isLive(), 'is', lit(true)), 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/** What the workflow and operators need to know. */
export async function readMembershipState(em: EntityManager, id: string) {
  const found = await em.findOneOrFail(Membership, { id }, { disableIdentityMap: true });
  const { status, isClosing, personId, billingInterval, sessionExpiresAt } = found;
  const at = await now(em);
  const isPending = status === 'incomplete';
  const rest = restOf(found);
  const due =
    rest === null || isClosing
      ? decideDue({ ...found, billingInterval: billingInterval ?? 'month' })
      : endOfRest(rest);
  const sessionMs = sessionExpiresAt.getTime() - at.getTime() + MINUTE_MS;
  const waitMs = isPending && sessionMs > 0 ? sessionMs : waitForDueMs(due, at);
  const isReturning = await hasOpenRefund(em, id);
  const waitsFor = isClosing
    ? 'the end at the processor'
    : (due?.what ?? (isReturning ? 'a refund' : 'its first payment'));
  // Something is ahead, or the processor has yet to confirm the end or a refund.
  const isOpen = status !== 'ended' || isClosing || isReturning || rest !== null;
  return { status, isOpen, waitMs: Math.ceil(waitMs), waitsFor, personId };
}

function endOfRest(rest: Date): Due {
  return { what: 'end', at: new Date(rest.getTime() + MINUTE_MS) };
}

async function hasOpenRefund(em: EntityManager, membershipId: string): Promise<boolean> {
  const found = await kysely(em)
    .selectFrom('membership')
    .select('membership.id')
    .where('membership.id', '=', membershipId)
    .where(({ exists }) => exists(openRefundsOf('membership').select('refund.id')))
    .executeTakeFirst();
  return found !== undefined;
}

export type MembershipFencingToken = Awaited<ReturnType<typeof takeMembershipFencingToken>>;

/** Takes the next sequence number, before the processor is asked how the membership stands. */
export async function takeMembershipFencingToken(em: EntityManager, membershipId: string) {
  const fence = await kysely(em)
    .updateTable('membership')
    .set(({ eb }) => ({ sequence: eb('membership.sequence', '+', 1) }))
    .where('membership.id', '=', membershipId)
    .returning(['membership.id as membershipId', 'membership.sequence', 'membership.status'])
    .returning(['membership.processorId', 'membership.requestedChange'])
    .returning(['membership.changeNumber', 'membership.isClosing'])
    .returning(({ eb, fn }) => [
      fn.coalesce('membership.sessionId', sessionInEventsOf('membership')).as('sessionId'),
      eb('membership.sessionExpiresAt', '<=', NOW).$castTo<boolean>().as('isSessionOver'),
      // Only when a return is reported or requested.
      fn<PaidCharge[]>('array', [chargesToAskAbout()]).as('payments'),
      fn<OpenIntent[]>('array', [openIntentsOf('membership')]).as('intents'),
      fn<string[]>('array', [unhandledEventsOf('membership').select('processorEvent.id')]).as(
        'eventIds',
      ),
    ])
    .executeTakeFirst();
  if (!fence) throw new Error(`there is no membership ${membershipId}`);
  return fence;
}

const openDisputes = () =>
  receivedPaymentsOf('membership')
    .innerJoin('dispute', 'dispute.paymentId', 'payment.id')
    .where('dispute.status', 'in', ['warning', 'open']);

const returnEvents = () =>
  unhandledEventsOf('membership').where('processorEvent.type', '=', anyOf(RETURN_EVENTS));

// Every reading asks about a refund under way or an open dispute.
const chargesToAskAbout = () =>
  paidChargesOf('membership').where(({ exists, or }) =>
    or([
      exists(returnEvents().select('processorEvent.id')),
      exists(dueRefundsOf('membership').select('refund.id')),
      exists(openDisputes().select('dispute.id')),
    ]),
  );

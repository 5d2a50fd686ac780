import { notifyActivated } from '../../domain/entitlements/memberships/activated-products.repository.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import {
  applyMembership,
  settleUnpaid,
} from '../../domain/billing/memberships/apply-membership.command.ts';
import {
  listChargesWithoutFee,
  recordProcessorFee,
} from '../../domain/billing/purchases/payment.repository.ts';
import type { Returns } from '../../domain/billing/memberships/membership-money.repository.ts';
import {
  readMembershipState,
  takeMembershipFencingToken,
  type MembershipFencingToken,
} from '../../domain/billing/memberships/membership-view.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../domain/billing/recurring/change-request.repository.ts';
import { applyRequestedChange } from './apply-change-request.ts';
import { gatherRefunds, inGroups } from './gather-refunds.ts';
import { isProcessorTrouble } from '../../clients/processor/processor.ts';
import type { Services } from '../services.ts';
import { readSession } from './read-session.ts';
import { orDeadLetter } from './unknown-outcome.ts';

type MembershipKey = { membershipId: string };

export function createMembershipActivities(services: Services) {
  const { database, processor } = services;

  /** What the processor calls it; null while nobody has paid. */
  async function findBegun(fence: MembershipFencingToken): Promise<string | null> {
    const { processorId, sessionId, membershipId: checkoutId, status, isSessionOver } = fence;
    if (processorId !== null) return processorId;
    // Another checkout replaced it, or the account is gone: it must not be paid.
    const isUnwanted = status === 'ended';
    const checkout =
      sessionId && (await readSession(processor, { checkoutId, isUnwanted, sessionId }));
    if (checkout && checkout.subscriptionId) return checkout.subscriptionId;
    const isOver = checkout ? checkout.status === 'expired' : isSessionOver;
    // Events before the session is known stay unhandled.
    const unpaid = { ...fence, ...(checkout ? {} : { eventIds: [] }) };
    await settleUnpaid(database.em(), { ...unpaid, isOver, processor: processor.kind });
    return null;
  }

  async function gatherReturns(fence: MembershipFencingToken): Promise<Returns> {
    const { membershipId, payments, intents } = fence;
    const refunds = await gatherRefunds(services, { about: { membershipId }, payments, intents });
    const disputes = await inGroups(payments, async ({ paymentId, processorId }) => {
      const found = await processor.readDisputes(processorId);
      return found.map((reading) => ({ paymentId, reading }));
    });
    return { refunds, disputes: disputes.flat() };
  }

  async function settle(fence: MembershipFencingToken): Promise<boolean> {
    const { membershipId: id, eventIds } = fence;
    const settled = await orDeadLetter(services, { membershipId: id, eventIds }, async () => {
      const processorId = await findBegun(fence);
      if (processorId === null) return true;
      const reading = await applyRequestedChange(services, { ...fence, id, processorId });
      const returns = await gatherReturns(fence);
      const read = { fence, reading, returns, processor: processor.kind };
      await applyMembership(database.em(), read);
      return true;
    });
    return settled !== null;
  }

  return {
    /** Reads the membership at the processor and applies the reading; safe to repeat. */
    async settleMembership({ membershipId }: MembershipKey) {
      const fence = await database.transaction((em) =>
        takeMembershipFencingToken(em, membershipId),
      );
      const isUnderstood = await settle(fence);
      if (isUnderstood) await learnFees(services, membershipId);
      const state = await readMembershipState(database.em(), membershipId);
      return isUnderstood ? state : { ...state, status: 'dead_lettered' as const, isOpen: true };
    },

    /** Notifies one batch of activated products of one change; false once every product knows every change. */
    async notifyActivatedProducts({ membershipId }: MembershipKey): Promise<boolean> {
      return database.transaction((em) => notifyActivated(em, membershipId));
    },

    /** The row decides, for operators as for its person. */
    async requestMembershipChange(
      update: MembershipKey & { change: RequestedChange; updateId: string },
    ) {
      const requested = await database.transaction((em) => requestChange(em, update));
      return isRefusal(requested) ? ('unchanged' as const) : ('requested' as const);
    },
  };
}

/** The charges are booked by then: none waits for its fee, and the next reading asks again. */
async function learnFees(services: Services, membershipId: string): Promise<void> {
  const { database } = services;
  const charges = await listChargesWithoutFee(database.em(), membershipId);
  await inGroups(charges, async ({ paymentId, processorId }) => {
    const feeMinor = await readFee(services, processorId);
    if (feeMinor === null) return;
    await database.transaction((em) => recordProcessorFee(em, { paymentId, feeMinor }));
  });
}

async function readFee({ processor, logger }: Services, processorId: string) {
  try {
    return await processor.readProcessorFee(processorId);
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    logger.warn({ processorId, reason: error.message }, 'the fee of a charge is not known');
    return null;
  }
}

import type { DueFacts } from '../../../domain/billing/recurring/next-check.ts';
import type {
  ChargeReading,
  SubscriptionReading,
} from '../../../domain/billing/recurring/processor-snapshot.ts';
import { DAY_MS } from '../../../domain/shared/instant.ts';

/** When the rules of subscriptions are asked. */
export const at = new Date('2026-03-10T12:00:00.000Z');

export const day = (days: number) => new Date(at.getTime() + days * DAY_MS);

/** A monthly subscription that goes well. */
export const MONTHLY: DueFacts = {
  status: 'active',
  billingInterval: 'month',
  periodEnd: day(20),
  pastDueAt: null,
  graceEndsAt: null,
  cancelAt: null,
  failureNotifiedAt: null,
  remindedOf: null,
};

/** The processor's view of one, with its charges. */
export const readingOf = (
  charges: ChargeReading[],
  given: Partial<SubscriptionReading> = {},
): SubscriptionReading => ({
  processorId: 'sub_1',
  status: 'active',
  periodEnd: day(29),
  isCancelAtPeriodEnd: false,
  endedAt: null,
  charges,
  ...given,
});

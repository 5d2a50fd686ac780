import { defineEntity, p } from '@mikro-orm/core';

const MEMBERSHIP_STATUSES = ['incomplete', 'active', 'past_due', 'canceling', 'ended'] as const;

export const Membership = defineEntity({
  name: 'Membership',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid(),
    status: p.enum(MEMBERSHIP_STATUSES),
    /** Null while it renews; the period's end once cancelled; the end of grace while past due. */
    endsAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

/** A product that a membership was used for: it hears of the membership from then on. */
export const MembershipOpening = defineEntity({
  name: 'MembershipOpening',
  properties: {
    membershipId: p.uuid().primary(),
    productId: p.uuid().primary(),
    openedAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

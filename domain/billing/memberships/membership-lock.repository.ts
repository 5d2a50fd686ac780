import { LockMode } from '@mikro-orm/core';
import {
  Membership,
  type MembershipRow,
} from '../../entitlements/memberships/membership.entity.ts';
import type { EntityManager } from '../../../platform/database/database.ts';

type Terms = 'priceId' | 'amountMinor' | 'currency' | 'billingInterval';

/** A membership with terms. */
export type PaidMembership = Omit<MembershipRow, Terms> & {
  [Term in Terms]: NonNullable<MembershipRow[Term]>;
};

export async function lockMembership(em: EntityManager, id: string): Promise<PaidMembership> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
  const row = await em.findOneOrFail(Membership, { id }, lock);
  const { priceId, amountMinor, currency, billingInterval } = row;
  if (!priceId || !amountMinor || !currency || !billingInterval) {
    throw new Error(`membership ${id} was given: nothing is charged for it`);
  }
  return { ...row, priceId, amountMinor, currency, billingInterval };
}

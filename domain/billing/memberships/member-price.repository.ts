import { holdCurrency } from '../../catalog/prices/price.repository.ts';
import { MemberPrice } from '../../entitlements/memberships/member-price.entity.ts';
import { lockTable, type EntityManager } from '../../../platform/database/database.ts';
import { CLOCK } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { BillingInterval } from '../recurring/billing-interval.ts';

export type MemberPriceView = Awaited<ReturnType<typeof listMemberPrices>>[number];

type Key = { currency: string; billingInterval: BillingInterval };

const MOST_RETIRED = 50;

const versions = (em: EntityManager) =>
  kysely(em)
    .selectFrom('memberPrice')
    .leftJoin('person', 'person.id', 'memberPrice.setBy')
    .leftJoin('enabledCurrency as enabled', 'enabled.currency', 'memberPrice.currency')
    .select(['memberPrice.id as priceId', 'memberPrice.currency', 'memberPrice.billingInterval'])
    .select(['memberPrice.amountMinor', 'memberPrice.createdAt', 'memberPrice.retiredAt'])
    .select('person.handle as setBy')
    .select(({ eb }) => eb('enabled.currency', 'is not', null).$castTo<boolean>().as('isEnabled'));

const currentVersions = (em: EntityManager) =>
  versions(em)
    .where('memberPrice.retiredAt', 'is', null)
    .orderBy('memberPrice.billingInterval')
    .orderBy('memberPrice.currency');

/** The prices for new members. */
export async function listMemberPrices(em: EntityManager) {
  return currentVersions(em).where('enabled.currency', 'is not', null).execute();
}

/** Current prices, then the retired ones, the last retired first. */
export async function listMemberPriceVersions(em: EntityManager) {
  const current = await currentVersions(em).execute();
  const retired = await versions(em)
    .where('memberPrice.retiredAt', 'is not', null)
    .orderBy('memberPrice.retiredAt', 'desc')
    .orderBy('memberPrice.id', 'desc')
    .limit(MOST_RETIRED)
    .execute();
  return [...current, ...retired];
}

/** Retires the current price and inserts the new one, one at a time. */
export async function setMemberPrice(
  em: EntityManager,
  { amountMinor, byId, ...key }: Key & { amountMinor: number; byId: string },
): Promise<{ before: number | null } | Refusal<'unchanged' | 'not_enabled'>> {
  await lockTable(em, 'member_price');
  if (!(await holdCurrency(em, key.currency))) return refuse('not_enabled');
  const before = await retire(em, { ...key, unless: amountMinor });
  if (before === 'unchanged') return refuse('unchanged');
  await em.insert(MemberPrice, { id: newUuid(), ...key, amountMinor, setBy: byId });
  return { before };
}

/** Existing members keep the price. Null without a price. */
export async function withdrawMemberPrice(em: EntityManager, key: Key): Promise<number | null> {
  await lockTable(em, 'member_price');
  const before = await retire(em, { ...key, unless: null });
  return before === 'unchanged' ? null : before;
}

async function retire(
  em: EntityManager,
  { currency, billingInterval, unless }: Key & { unless: number | null },
): Promise<number | null | 'unchanged'> {
  const active = await em.findOne(MemberPrice, { currency, billingInterval, retiredAt: null });
  if (!active) return null;
  if (active.amountMinor === unless) return 'unchanged';
  active.retiredAt = CLOCK;
  await em.flush(); // before the next version: a unique index allows one
  return active.amountMinor;
}

import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newUuid } from '../../shared/ids.ts';
import { withInstants } from '../../shared/instants.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { BillingInterval } from '../subscriptions/billing-interval.ts';

export type MemberPriceView = {
  priceId: string;
  currency: string;
  billingInterval: BillingInterval;
  amountMinor: number;
  createdAt: Date;
  retiredAt: Date | null;
  setBy: string | null;
  /** Nothing is sold in a disabled currency. */
  isEnabled: boolean;
};

type Key = { currency: string; billingInterval: BillingInterval };
type Row = Omit<MemberPriceView, 'amountMinor'> & { amountMinor: string };

const VERSIONS = `
  select r.id as "priceId", r.currency, r.billing_interval as "billingInterval",
    r.amount_minor as "amountMinor", r.created_at as "createdAt", r.retired_at as "retiredAt",
    p.handle as "setBy", c.currency is not null as "isEnabled"
  from member_price r left join person p on p.id = r.set_by
  left join enabled_currency c on c.currency = r.currency`;

const MOST_RETIRED = 50;

/** The prices for new members. */
export async function listMemberPrices(em: EntityManager): Promise<MemberPriceView[]> {
  const sql = `${VERSIONS} where r.retired_at is null and c.currency is not null
    order by r.billing_interval, r.currency`;
  return (await rows<Row>(em, sql)).map(present);
}

/** Current prices, then the retired ones, the last retired first. */
export async function listMemberPriceVersions(em: EntityManager): Promise<MemberPriceView[]> {
  const found = await rows<Row>(
    em,
    `(${VERSIONS} where r.retired_at is null order by r.billing_interval, r.currency)
     union all
     (${VERSIONS} where r.retired_at is not null
      order by r.retired_at desc, r.id desc limit ${MOST_RETIRED})`,
  );
  return found.map(present);
}

/** Retires the current price and inserts the new one, one at a time. */
export async function setMemberPrice(
  em: EntityManager,
  { amountMinor, byId, ...key }: Key & { amountMinor: number; byId: string },
): Promise<{ before: number | null } | Refusal<'unchanged' | 'not_enabled'>> {
  await lockPrices(em);
  const held = 'select 1 from enabled_currency where currency = ? for key share';
  if ((await rows(em, held, [key.currency])).length === 0) return refuse('not_enabled');
  const before = await retire(em, { ...key, unless: amountMinor });
  if (before === 'unchanged') return refuse('unchanged');
  await rows(
    em,
    `insert into member_price (id, currency, billing_interval, amount_minor, set_by)
     values (?, ?, ?, ?, ?)`,
    [newUuid(), key.currency, key.billingInterval, amountMinor, byId],
  );
  return { before };
}

/** Existing members keep the price. Null without a price. */
export async function withdrawMemberPrice(em: EntityManager, key: Key): Promise<number | null> {
  await lockPrices(em);
  const before = await retire(em, { ...key, unless: null });
  return before === 'unchanged' ? null : before;
}

async function lockPrices(em: EntityManager): Promise<void> {
  await rows(em, 'lock table member_price in share row exclusive mode');
}

async function retire(
  em: EntityManager,
  { currency, billingInterval, unless }: Key & { unless: number | null },
): Promise<number | null | 'unchanged'> {
  const [active] = await rows<{ id: string; amountMinor: string }>(
    em,
    `select id, amount_minor as "amountMinor" from member_price
     where currency = ? and billing_interval = ? and retired_at is null`,
    [currency, billingInterval],
  );
  if (!active) return null;
  const amountMinor = Number(active.amountMinor);
  if (amountMinor === unless) return 'unchanged';
  await rows(em, 'update member_price set retired_at = gatehouse_now() where id = ?', [active.id]);
  return amountMinor;
}

function present(row: Row): MemberPriceView {
  return withInstants({ ...row, amountMinor: Number(row.amountMinor) }, ['createdAt', 'retiredAt']);
}

// Members who paid and used Included products in the months before this one, as rows.
import { addMonths, monthOf } from '../../../domain/shared/instant.ts';
import type { BillingInterval } from '../../../domain/billing/recurring/billing-interval.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import type { TestDatabase } from '../engines/database.ts';

export const FEE_MINOR = 999;

/** `2026-09` for 2 in November. Evidence can be written for the last three months alone. */
export const monthsAgo = (months: number) => monthOf(addMonths(new Date(), -months));

/** The mask of days of a month, of which the first is 1. */
export const maskOf = (...days: number[]) => days.reduce((mask, day) => mask | (1 << (day - 1)), 0);

export const firstDays = (count: number) =>
  maskOf(...Array.from({ length: count }, (_, n) => n + 1));

type Queried = Pick<TestDatabase, 'query'>;

/** People, their products and their use of them. */
export function createPoolUse({ query }: Queried) {
  async function addPerson(): Promise<string> {
    const id = newUuid();
    const handle = id.replaceAll('-', '').slice(-20);
    await query(
      `insert into person (id, handle, display_name, email) values ($1, $2, 'P', $2 || '@example.com')`,
      [id, handle],
    );
    return id;
  }

  /** Included since long ago, of a person or a team. */
  async function addIncluded({ teamId = null }: { teamId?: string | null } = {}) {
    const productId = newUuid();
    const personId = teamId === null ? await addPerson() : null;
    await query(
      `insert into product (id, owner_person_id, owner_team_id, name, tagline, state, included_with_member)
       values ($1, $2, $3, 'P', '', 'listed', true)`,
      [productId, personId, teamId],
    );
    await query(`update included_span set started_at = '2020-01-01' where product_id = $1`, [
      productId,
    ]);
    return { productId, personId };
  }

  async function addTeam(): Promise<string> {
    const id = newUuid();
    await query(`insert into team (id, name) values ($1, 'T')`, [id]);
    return id;
  }

  async function use(personId: string, given: { productId: string; month: string; mask: number }) {
    const { productId, month, mask } = given;
    await query(
      `insert into usage_month (person_id, product_id, month, first_at, last_at, session_days,
         heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
       values ($1, $2, $3::date, $3::date, $3::date, 0, 0, $4, 0, 0, $4)`,
      [personId, productId, `${month}-01`, mask],
    );
  }

  async function exclude(
    personId: string,
    { productId, month }: { productId: string; month: string },
  ) {
    await query(
      `insert into pool_exclusion (person_id, product_id, month, reason, excluded_by)
       values ($1, $2, $3, 'a farm', $1)`,
      [personId, productId, `${month}-01`],
    );
  }

  return { addPerson, addIncluded, addTeam, use, exclude };
}

type Charge = {
  month: string;
  currency?: string;
  interval?: BillingInterval;
  grossMinor?: number;
  /** Another charge of the same person. */
  personId?: string;
};

/** Charges of Member, with their bookings. */
export function createPoolMoney({
  query,
  addPerson,
}: Queried & { addPerson: () => Promise<string> }) {
  /** Pays on the tenth of the month. */
  async function pay({ month, currency = 'USD', interval = 'month', ...given }: Charge) {
    const personId = given.personId ?? (await addPerson());
    const grossMinor = given.grossMinor ?? FEE_MINOR;
    const [membershipId, priceId] = [newUuid(), newUuid()];
    const paymentId = `pay_${newUuid()}`;
    await query(
      `insert into member_price (id, currency, billing_interval, amount_minor, retired_at)
       values ($1, $2, $3, $4, now())`,
      [priceId, currency, interval, grossMinor],
    );
    await query(
      `insert into membership (id, person_id, status, price_id, amount_minor, currency, billing_interval)
       values ($1, $2, 'ended', $3, $4, $5, $6)`,
      [membershipId, personId, priceId, grossMinor, currency, interval],
    );
    await query(
      `insert into payment (id, membership_id, gross_minor, currency, cut_minor, status, processor_id, created_at)
       values ($1, $2, $3, $4, 0, 'succeeded', $1, $5)`,
      [paymentId, membershipId, grossMinor, currency, `${month}-10T12:00:00Z`],
    );
    await book(query, paymentId, { kind: 'gross', amountMinor: grossMinor, currency });
    return { personId, paymentId };
  }

  /** So much money is back in all; less than before is a reversal. */
  async function returnMoney(paymentId: string, returnedMinor: number): Promise<void> {
    const [before] = await query<{ returned: number }>(
      `select returned_minor::int as returned from payment where id = $1`,
      [paymentId],
    );
    await query(
      `update payment set returned_minor = $2::bigint, status = case when $2::bigint = 0 then 'succeeded'
         when $2::bigint < gross_minor then 'partially_refunded' else 'refunded' end where id = $1`,
      [paymentId, returnedMinor],
    );
    const amountMinor = before!.returned - returnedMinor;
    await book(query, paymentId, { kind: amountMinor < 0 ? 'refund' : 'reversal', amountMinor });
  }

  const tellFee = (paymentId: string, feeMinor: number) =>
    query('update payment set processor_fee_minor = $2 where id = $1', [paymentId, feeMinor]);

  return { pay, returnMoney, tellFee };
}

/** Between the buyer and the platform. */
async function book(
  query: Queried['query'],
  paymentId: string,
  entry: { kind: string; amountMinor: number; currency?: string },
): Promise<void> {
  const { kind, amountMinor, currency = 'USD' } = entry;
  await query(
    `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
     select $1::text, account, $2, sign * $3::bigint, $4, $5
     from (values ('platform', 1), ('buyer', -1)) side (account, sign)`,
    [newUuid(), kind, amountMinor, currency, paymentId],
  );
}

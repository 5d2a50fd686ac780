// Members who paid and used Included products in the months before this one, as rows.
import { gunzipSync } from 'node:zlib';
import type { BillingInterval } from '../../../domain/billing/subscriptions/billing-interval.ts';
import { computePool } from '../../../domain/pool/freeze/compute.repository.ts';
import { freezePool } from '../../../domain/pool/freeze/freeze.repository.ts';
import { readPoolFile, type PoolFile } from '../../../domain/pool/freeze/pool-file.repository.ts';
import { newSealedPoolKey, openPoolKey } from '../../../domain/pool/period/period-key.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { createSealer } from '../../../domain/shared/secrets.ts';
import { addMonths, monthOf } from '../../../domain/billing/ledger/statement.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { TestDatabase } from '../engines/database.ts';

export const FEE_MINOR = 999;

/** `2026-09` for 2 in November: evidence can be written for the last three months. */
export const monthsAgo = (months: number) => monthOf(addMonths(new Date(), -months));

/** The mask of days of a month, of which the first is 1. */
export const maskOf = (...days: number[]) => days.reduce((mask, day) => mask | (1 << (day - 1)), 0);

export const firstDays = (count: number) =>
  maskOf(...Array.from({ length: count }, (_, n) => n + 1));

export type PoolScene = ReturnType<typeof createPoolScene>;

type Charge = {
  month: string;
  currency?: string;
  interval?: BillingInterval;
  grossMinor?: number;
  /** Another charge of the same person. */
  personId?: string;
};

export function createPoolScene({
  testDatabase: { query },
  database,
}: {
  testDatabase: TestDatabase;
  database: Database;
}) {
  const sealer = createSealer([{ id: 'k1', key: Buffer.alloc(32, 1) }]);

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
    await book(paymentId, { kind: 'gross', amountMinor: grossMinor, currency });
    return { personId, paymentId };
  }

  async function book(
    paymentId: string,
    {
      kind,
      amountMinor,
      currency = 'USD',
    }: { kind: string; amountMinor: number; currency?: string },
  ): Promise<void> {
    await query(
      `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id)
       select $1::text, account, $2, sign * $3::bigint, $4, $5
       from (values ('platform', 1), ('buyer', -1)) side (account, sign)`,
      [newUuid(), kind, amountMinor, currency, paymentId],
    );
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
    await book(paymentId, { kind: amountMinor < 0 ? 'refund' : 'reversal', amountMinor });
  }

  const tellFee = (paymentId: string, feeMinor: number) =>
    query('update payment set processor_fee_minor = $2 where id = $1', [paymentId, feeMinor]);

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

  /** A row as the end of the month before made it. */
  async function openPeriod(month: string, currency = 'USD'): Promise<string> {
    const id = `${month}:${currency}`;
    await query(
      `insert into pool_period (id, month, currency, rule, sealed_key, freeze_due_at)
       values ($1, $2, $3, 'user-centric-1', $4, now())`,
      [id, `${month}-01`, currency, newSealedPoolKey(sealer, id)],
    );
    return id;
  }

  const given = (periodId: string) => ({ periodId, sealer });
  const freeze = (periodId: string, on = database) => freezePool(on, given(periodId));
  const compute = (periodId: string) => computePool(database, given(periodId));

  /** Opens, freezes and computes a month. */
  async function close(month: string, currency = 'USD'): Promise<string> {
    const periodId = await openPeriod(month, currency);
    await freeze(periodId);
    await compute(periodId);
    return periodId;
  }

  async function readFile(file: PoolFile): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of readPoolFile(database.em(), file)) parts.push(part);
    return Buffer.concat(parts);
  }

  return {
    query,
    database,
    sealer,
    addPerson,
    addIncluded,
    addTeam,
    pay,
    returnMoney,
    tellFee,
    use,
    exclude,
    openPeriod,
    freeze,
    compute,
    close,
    readFile,
    readText: async (file: PoolFile) => gunzipSync(await readFile(file)).toString(),

    async readPeriod(periodId: string) {
      const [row] = await query<Record<string, unknown> & { sealed_key: string }>(
        `select * from pool_period where id = $1`,
        [periodId],
      );
      return row!;
    },

    /** What a period holds of a person; null where it does not know them. */
    async readMember(periodId: string, personId: string) {
      const [period] = await query<{ sealed_key: string }>(
        `select sealed_key from pool_period where id = $1`,
        [periodId],
      );
      const { ofMember } = openPoolKey(sealer, { id: periodId, sealedKey: period!.sealed_key });
      const [row] = await query<{ net: number; products: string[]; days: number[] }>(
        `select net_minor::int as net, product_ids::text[] as products, days from pool_member
         where period_id = $1 and member = $2`,
        [periodId, Buffer.from(ofMember(personId), 'hex')],
      );
      if (!row) return null;
      const days = row.products.map((id, place) => [id, row.days[place]] as const);
      return { netMinor: row.net, days: Object.fromEntries(days) };
    },

    /** By month and product: the amounts of a period, or of all with `null`. */
    async readAmounts(periodId: string | null, productIds: readonly string[]) {
      const rows = await query<{ month: string; product: string; amount: number; days: number }>(
        `select to_char(month, 'YYYY-MM') as month, product_id as product,
           sum(amount_minor)::int as amount, sum(qualified_days)::int as days
         from pool_line where ($1::text is null or period_id = $1) and product_id = any($2)
         group by 1, 2 order by 1`,
        [periodId, productIds],
      );
      return rows
        .toSorted(
          (one, other) => productIds.indexOf(one.product) - productIds.indexOf(other.product),
        )
        .map(({ month, product, amount, days }) => ({
          month,
          place: productIds.indexOf(product),
          amount,
          days,
        }));
    },
  };
}

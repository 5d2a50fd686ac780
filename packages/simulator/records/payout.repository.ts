import { newSecret } from '../../../domain/shared/ids.ts';
import type { Queryable, Transaction } from '../database.ts';
import { seconds } from '../unix-time.ts';
import { recordObject } from './event.repository.ts';

type PayoutRow = {
  id: string;
  account_id: string;
  amount: string;
  currency: string;
  status: 'paid' | 'failed';
  failure_code: string | null;
  created_at: Date;
};

export function presentPayout(row: PayoutRow) {
  const isFailed = row.status === 'failed';
  return {
    id: row.id,
    object: 'payout' as const,
    amount: Number(row.amount),
    arrival_date: seconds(row.created_at),
    automatic: true,
    created: seconds(row.created_at),
    currency: row.currency,
    failure_code: row.failure_code,
    failure_message: isFailed ? 'The bank refused the payout.' : null,
    livemode: false,
    metadata: {},
    method: 'standard' as const,
    status: row.status,
    type: 'bank_account' as const,
  };
}

export const PAYOUT_STATUSES = ['paid', 'failed'] as const;

export async function findPayout(
  db: Queryable,
  { id, account }: { id: string; account: string },
): Promise<PayoutRow | undefined> {
  const found = await db.query<PayoutRow>(
    'select * from simulator.payout where id = $1 and account_id = $2',
    [id, account],
  );
  return found.rows[0];
}

type NewPayout = {
  account: string;
  status: (typeof PAYOUT_STATUSES)[number];
  amount: number;
  currency: string;
  failureCode: string;
};

/** The account's money went to its owner's bank, or came back from there. */
export async function makePayout(client: Transaction, made: NewPayout): Promise<PayoutRow> {
  const { account, status, amount, currency, failureCode } = made;
  const { rows } = await client.query<PayoutRow>(
    `insert into simulator.payout (id, account_id, amount, currency, status, failure_code, created_at)
     values ($1, $2, $3, $4, $5, $6, simulator.now()) returning *`,
    [
      `po_${newSecret().slice(0, 24)}`,
      account,
      amount,
      currency,
      status,
      status === 'failed' ? failureCode : null,
    ],
  );
  const payout = rows[0]!;
  const object = presentPayout(payout);
  await recordObject(client, { type: `payout.${status}`, at: payout.created_at, object, account });
  return payout;
}

import type pg from 'pg';
import type { Stripe } from 'stripe';
import { validateProcessorAmount } from '../../../clients/processor/amounts.ts';
import { newSecret } from '../../../domain/shared/ids.ts';
import { ApiError } from '../api/api-error.ts';
import { requireAccount } from '../api/destination.ts';
import type { TransferListParameters, TransferParameters } from '../api/parameters.ts';
import type { Queryable, Transaction } from '../database.ts';
import { seconds } from '../unix-time.ts';

type TransferRow = {
  id: string;
  account_id: string;
  amount: string;
  currency: string;
  transfer_group: string | null;
  metadata: Record<string, string>;
  created_at: Date;
};

export function presentTransfer(row: TransferRow) {
  return {
    id: row.id,
    object: 'transfer' as const,
    amount: Number(row.amount),
    amount_reversed: 0,
    balance_transaction: `txn_${row.id.slice(3)}`,
    created: seconds(row.created_at),
    currency: row.currency,
    description: null,
    destination: row.account_id,
    livemode: false,
    metadata: row.metadata,
    reversed: false,
    source_transaction: null,
    transfer_group: row.transfer_group,
  } satisfies Partial<Stripe.Transfer>;
}

/** Money goes to an account that exists, and that may receive it. */
export async function insertTransfer(
  client: Transaction,
  given: TransferParameters,
): Promise<TransferRow> {
  const { destination, amount, currency } = given;
  await requireAccount(client, { id: destination, param: 'destination' });
  if (validateProcessorAmount(amount, currency.toUpperCase()) === 'no_such_step') {
    const message = 'The last digit must be 0 in this currency.';
    throw new ApiError(400, { message, param: 'amount' });
  }
  const { rows } = await client.query<TransferRow>(
    `insert into simulator.transfer (id, account_id, amount, currency, transfer_group, metadata)
     values ($1, $2, $3, $4, $5, $6) returning *`,
    [
      `tr_${newSecret().slice(0, 24)}`,
      destination,
      amount,
      currency,
      given.transfer_group ?? null,
      given.metadata,
    ],
  );
  return rows[0]!;
}

export async function findTransfer(db: Queryable, id: string): Promise<TransferRow | undefined> {
  const found = await db.query<TransferRow>('select * from simulator.transfer where id = $1', [id]);
  return found.rows[0];
}

/** The newest first, or those before one of them; one more than asked for where there are more. */
export async function listTransfers(
  db: Queryable,
  asked: TransferListParameters,
): Promise<TransferRow[]> {
  const { rows } = await db.query<TransferRow>(
    `select * from simulator.transfer where ($1::text is null or transfer_group = $1)
       and ($2::text is null or account_id = $2)
       and ($3::text is null or (created_at, id) <
         (select created_at, id from simulator.transfer where id = $3))
     order by created_at desc, id desc limit $4`,
    [
      asked.transfer_group ?? null,
      asked.destination ?? null,
      asked.starting_after ?? null,
      asked.limit + 1,
    ],
  );
  return rows;
}

/** `drop`: made, and the connection breaks. `delay`: made, and answered late. */
export const TRANSFER_FATES = ['make', 'refuse', 'drop', 'delay'] as const;

export type TransferFate = { fate: (typeof TRANSFER_FATES)[number]; seconds: number };

/** Sets the fate of `count` next requests for a transfer. */
export async function turnTransferKnob(
  pool: pg.Pool,
  { fate, seconds, count }: TransferFate & { count: number },
): Promise<void> {
  await pool.query(
    'update simulator.transfer_knob set fate = $1, seconds = $2, transfers_left = $3',
    [fate, seconds, count],
  );
}

export async function takeTransferFate(pool: pg.Pool): Promise<TransferFate> {
  const { rows } = await pool.query<TransferFate>(
    `update simulator.transfer_knob set transfers_left = transfers_left - 1
     where transfers_left > 0 returning fate, seconds`,
  );
  return rows[0] ?? { fate: 'make', seconds: 0 };
}

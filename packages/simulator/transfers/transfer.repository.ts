import type { Stripe } from 'stripe';
import { validateProcessorAmount } from '../../../clients/processor/amounts.ts';
import { newSecret } from '../../../domain/shared/ids.ts';
import { ApiError } from '../api/api-error.ts';
import { requireAccount } from '../api/destination.ts';
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

type NewTransfer = {
  destination: string;
  amount: number;
  currency: string;
  transfer_group?: string | undefined;
  metadata: Record<string, string>;
};

/** Money goes to an account that exists, and that may receive it. */
export async function insertTransfer(
  client: Transaction,
  given: NewTransfer,
): Promise<TransferRow> {
  const { destination, amount, currency } = given;
  await requireAccount(client, { id: destination, param: 'destination' });
  if (validateProcessorAmount(amount, currency.toUpperCase()) === 'no_such_step') {
    throw new ApiError(400, {
      type: 'invalid_request_error',
      message: 'The last digit must be 0 in this currency.',
      param: 'amount',
    });
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

type Listed = {
  transfer_group?: string | undefined;
  destination?: string | undefined;
  starting_after?: string | undefined;
  limit: number;
};

/** The newest first, or those before one of them; one more than asked for where there are more. */
export async function listTransfers(db: Queryable, asked: Listed): Promise<TransferRow[]> {
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

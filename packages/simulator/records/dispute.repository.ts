import { newSecret } from '../../../domain/shared/ids.ts';
import type { DisputeListParameters } from '../api/parameters.ts';
import type { Queryable, Transaction } from '../database.ts';
import { recordObject } from './event.repository.ts';
import { presentDispute, type DisputeRow } from '../stripe-disputes.ts';
import type { SessionRow } from '../stripe-objects.ts';

export const DISPUTE_STATUSES = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

const CLOSED: readonly DisputeStatus[] = ['warning_closed', 'won', 'lost'];

const DISPUTES = `
  select d.*, s.currency, i.id as intent_id, simulator.now() as read_at
  from simulator.dispute d
  join simulator.checkout_session s on s.id = d.session_id
  join simulator.payment_intent i on i.id = d.intent_id`;

export async function findDispute(db: Queryable, id: string): Promise<DisputeRow | undefined> {
  return (await db.query<DisputeRow>(`${DISPUTES} where d.id = $1`, [id])).rows[0];
}

/** The newest first, or those before one of them; one more than asked for where there are more. */
export async function listDisputes(
  db: Queryable,
  asked: DisputeListParameters,
): Promise<DisputeRow[]> {
  const { payment_intent, starting_after, created, limit } = asked;
  const { rows } = await db.query<DisputeRow>(
    `${DISPUTES} where ($1::text is null or i.id = $1)
       and ($2::text is null or (d.created_at, d.id) <
         (select created_at, id from simulator.dispute where id = $2))
       and ($3::float is null or d.created_at >= to_timestamp($3))
       and ($4::float is null or d.created_at < to_timestamp($4) + interval '1 second')
     order by d.created_at desc, d.id desc limit $5`,
    [
      payment_intent ?? null,
      starting_after ?? null,
      created.gte ?? null,
      created.lte ?? null,
      limit + 1,
    ],
  );
  return rows;
}

type NewDispute = { session: SessionRow; status: DisputeStatus; amount?: number | undefined };

/** Disputes all that was paid by the session's payment that was read, unless told otherwise. */
export async function openDispute(
  client: Transaction,
  { session, status, amount }: NewDispute,
): Promise<DisputeRow> {
  const intentId = session.intent?.id;
  const id = `du_${newSecret().slice(0, 24)}`;
  await client.query(
    `insert into simulator.dispute
       (id, session_id, intent_id, amount, reason, status, created_at)
     values ($1, $2, $3, $4, 'fraudulent', $5, simulator.now())`,
    [id, session.id, intentId, amount ?? session.amount, status],
  );
  return tell(client, { id, type: 'charge.dispute.created' });
}

/** Returns undefined for a dispute that is not there; a bank may change its mind at any time. */
export async function moveDispute(
  client: Transaction,
  { id, status }: { id: string; status: DisputeStatus },
): Promise<DisputeRow | undefined> {
  const moved = await client.query('update simulator.dispute set status = $2 where id = $1', [
    id,
    status,
  ]);
  if (moved.rowCount === 0) return undefined;
  const isClosed = CLOSED.includes(status);
  return tell(client, { id, type: `charge.dispute.${isClosed ? 'closed' : 'updated'}` });
}

type Notice = { id: string; type: `charge.dispute.${'created' | 'updated' | 'closed'}` };

async function tell(client: Transaction, { id, type }: Notice): Promise<DisputeRow> {
  const dispute = (await findDispute(client, id))!;
  await recordObject(client, { type, at: dispute.read_at, object: presentDispute(dispute) });
  return dispute;
}

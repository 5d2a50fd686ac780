import type pg from 'pg';

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

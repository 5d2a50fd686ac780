import { now, type EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { MINUTE_MS } from '../shared/instant.ts';

export type Leftover = { kind: 'rate_window' | 'pre_session'; overdueS: number };

/** A window counts for its minute and is emptied in the next one. */
const WINDOW_MS = 2 * MINUTE_MS;

/** Reads how long ago the oldest leftover row ended: upkeep removes such rows within minutes. */
export async function readLeftovers(em: EntityManager): Promise<Leftover[]> {
  const at = (await now(em)).getTime();
  const ended = await kysely(em)
    .selectFrom('preSession')
    .select('expiresAt')
    .orderBy('expiresAt')
    .limit(1)
    .execute();
  const minutes = await Promise.all(WINDOWS.map((slot) => readMinutes(em, slot)));
  const overdueS = (ends: number[]) => Math.max(0, ...ends.map((end) => (at - end) / 1_000));
  return [
    {
      kind: 'rate_window',
      overdueS: overdueS(minutes.flat().map((minute) => minute * MINUTE_MS + WINDOW_MS)),
    },
    { kind: 'pre_session', overdueS: overdueS(ended.map(({ expiresAt }) => expiresAt.getTime())) },
  ];
}

const WINDOWS = [0, 1, 2];

/** All rows of a part are of one minute. */
async function readMinutes(em: EntityManager, slot: number): Promise<number[]> {
  const found = await kysely(em)
    .selectFrom('rateWindow')
    .select('minute')
    .where('slot', '=', slot)
    .limit(1)
    .execute();
  return found.map(({ minute }) => minute);
}

import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { MOST_REQUESTS_AN_HOUR, REQUESTS_OF_AN_IMPORT } from './import-state.ts';

/** The window names what a reservation is given back to. */
export type Reservation = { isReserved: boolean; resetsAt: Date };

/** Takes what one import may need from the quota of a host; else says when there is more. */
export async function reserveRequests(em: EntityManager, host: string): Promise<Reservation> {
  const hour = fromNow('1 hour');
  const reserved = await kysely(em)
    .insertInto('upstreamQuota')
    .values({ host, used: REQUESTS_OF_AN_IMPORT, resetsAt: hour })
    .onConflict((conflict) =>
      conflict
        .column('host')
        .doUpdateSet(({ eb, ref }) => {
          const isOver = eb('upstreamQuota.resetsAt', '<=', NOW);
          return {
            used: eb
              .case()
              .when(isOver)
              .then(REQUESTS_OF_AN_IMPORT)
              .else(eb('upstreamQuota.used', '+', REQUESTS_OF_AN_IMPORT))
              .end(),
            resetsAt: eb.case().when(isOver).then(hour).else(ref('upstreamQuota.resetsAt')).end(),
          };
        })
        .where(({ eb, or }) =>
          or([
            eb('upstreamQuota.resetsAt', '<=', NOW),
            eb('upstreamQuota.used', '<=', MOST_REQUESTS_AN_HOUR - REQUESTS_OF_AN_IMPORT),
          ]),
        ),
    )
    .returning('resetsAt')
    .executeTakeFirst();
  if (reserved) return { isReserved: true, resetsAt: reserved.resetsAt };
  const full = kysely(em).selectFrom('upstreamQuota').select('resetsAt').where('host', '=', host);
  return { isReserved: false, ...(await full.executeTakeFirstOrThrow()) };
}

type Settlement = {
  host: string;
  /** The window of the reservation. */
  resetsAt: Date;
  requests: number;
  /** What the host itself said. */
  limit: { remaining: number; resetsAt: Date } | null;
};

/**
 * Gives back what a reservation did not need, unless its window is over. What the host says of its
 * limit counts instead.
 */
export async function settleRequests(em: EntityManager, settlement: Settlement): Promise<void> {
  const { host, resetsAt, requests, limit } = settlement;
  const quota = kysely(em).updateTable('upstreamQuota').where('host', '=', host);
  if (limit) {
    const used = Math.max(0, MOST_REQUESTS_AN_HOUR - limit.remaining);
    await quota.set({ used, resetsAt: limit.resetsAt }).execute();
    return;
  }
  const unused = REQUESTS_OF_AN_IMPORT - requests;
  await quota
    .set(({ eb, fn, val }) => ({ used: fn('greatest', [val(0), eb('used', '-', unused)]) }))
    .where('resetsAt', '=', resetsAt)
    .execute();
}

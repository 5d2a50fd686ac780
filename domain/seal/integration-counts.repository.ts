import { now, type Database, type EntityManager } from '../../platform/database/database.ts';
import { createWriteBuffer } from '../../platform/database/write-buffer.ts';
import type { Logger } from '../../platform/log.ts';
import { kysely } from '../kysely.ts';
import { toDay } from '../shared/instant.ts';

const COUNTS = ['firstAttempts', 'firstSuccesses', 'callbacks', 'tokens'] as const;

type IntegrationCounts = { productId: string } & Record<(typeof COUNTS)[number], number>;

export type IntegrationRecorder = {
  /** A webhook's first attempt; its success is a 2xx in time. */
  noteFirstAttempt(productId: string, isSuccess: boolean): void;
  /** A person was sent back to the product with a code. */
  noteCallback(productId: string): void;
  /** The product exchanged the code for a token. */
  noteToken(productId: string): void;
  /** Writes the rest of the buffer. */
  close(): Promise<void>;
};

const NONE = { firstAttempts: 0, firstSuccesses: 0, callbacks: 0, tokens: 0 };
/** One statement then adds what a process has seen of all products. */
const WAIT_MS = 1_000;

/** The counts of one process: never in a caller's way. A write that fails loses a second of them. */
export function createIntegrationRecorder(
  database: Pick<Database, 'em'>,
  logger: Pick<Logger, 'warn'>,
): IntegrationRecorder {
  const buffer = createWriteBuffer<IntegrationCounts>({
    keyOf: ({ productId }) => productId,
    merge: (earlier, later) => {
      for (const count of COUNTS) earlier[count] += later[count];
      return earlier;
    },
    write: (counts) => addCounts(database.em(), counts),
    onLoss: (lost) => logger.warn({ lost }, 'integration counts were lost'),
    waitMs: WAIT_MS,
  });
  return {
    noteFirstAttempt: (productId, isSuccess) =>
      buffer.add({
        ...NONE,
        productId,
        firstAttempts: 1,
        firstSuccesses: isSuccess ? 1 : 0,
      }),
    noteCallback: (productId) => buffer.add({ ...NONE, productId, callbacks: 1 }),
    noteToken: (productId) => buffer.add({ ...NONE, productId, tokens: 1 }),
    close: buffer.close,
  };
}

/** Adds in the order of the key, so that two processes never wait for each other in a ring. */
async function addCounts(em: EntityManager, counts: readonly IntegrationCounts[]): Promise<void> {
  const day = toDay(await now(em));
  const rows = counts.map((each) => ({ ...each, day }));
  rows.sort((a, b) => (a.productId < b.productId ? -1 : 1));
  await kysely(em)
    .insertInto('integrationCount')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['productId', 'day'])
        .doUpdateSet(({ eb, ref }) =>
          Object.fromEntries(
            COUNTS.map((count) => [
              count,
              eb(`integrationCount.${count}`, '+', ref(`excluded.${count}`)),
            ]),
          ),
        ),
    )
    .execute();
}

// The files of a period, in parts that a statement reads in a moment.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { POOL_FILES } from '../period/pool-period.entity.ts';

export type PoolFile = { periodId: string; file: (typeof POOL_FILES)[number] };

const PART_BYTES = 2 ** 20;

/** The gzip bytes of a file, part by part; nothing where the file does not exist. */
export async function* readPoolFile(
  em: EntityManager,
  { periodId, file }: PoolFile,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const part = await kysely(em)
      .selectFrom('poolFilePart')
      .select('bytes')
      .where('periodId', '=', periodId)
      .where('file', '=', file)
      .where('number', '=', number)
      .$narrowType<{ bytes: Buffer }>()
      .executeTakeFirst();
    if (!part) return;
    yield part.bytes;
  }
}

/** A part that is there already had the same bytes, or was empty. */
export async function writePart(
  em: EntityManager,
  part: PoolFile & { number: number; bytes: Buffer },
): Promise<void> {
  await kysely(em)
    .insertInto('poolFilePart')
    .values(part)
    .onConflict((conflict) =>
      conflict.columns(['periodId', 'file', 'number']).doUpdateSet({ bytes: part.bytes }),
    )
    .execute();
}

/** Bytes as they come, in parts of one size; the last is shorter. */
export async function* toParts(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    let bytes = Buffer.concat(waiting);
    for (; bytes.length >= PART_BYTES; bytes = bytes.subarray(PART_BYTES)) {
      yield bytes.subarray(0, PART_BYTES);
    }
    waiting = [bytes];
    size = bytes.length;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

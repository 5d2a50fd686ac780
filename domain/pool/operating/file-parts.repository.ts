import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

export const POOL_FILES = ['snapshot', 'statement'] as const;

type PoolFile = { periodId: string; file: (typeof POOL_FILES)[number] };

export async function hasPoolFile(em: EntityManager, { periodId, file }: PoolFile) {
  return (await readPart(em, { periodId, file, number: 0 })) !== null;
}

/** The stored bytes, part by part. */
export async function* readPoolFile(
  open: () => EntityManager,
  file: PoolFile,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const part = await readPart(open(), { ...file, number });
    if (part === null) return;
    yield part;
  }
}

async function readPart(
  em: EntityManager,
  { periodId, file, number }: PoolFile & { number: number },
): Promise<Buffer | null> {
  const found = await kysely(em)
    .selectFrom('poolFilePart')
    .select('bytes')
    .where('periodId', '=', periodId)
    .where('file', '=', file)
    .where('number', '=', number)
    .executeTakeFirst();
  return found ? Buffer.from(found.bytes) : null;
}

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { SnapshotError } from '../../domain/pool/snapshot/snapshot-reader.ts';
import { PoolUnbalanced } from '../../domain/pool/statement/balance.ts';
import { computeStatement } from '../../domain/pool/statement/compute-statement.ts';
import type { Statement } from '../../domain/pool/statement/pool-statement.ts';
import { createSha256, sha256Hex } from '../../domain/shared/sha256.ts';

const PART_BYTES = 262_144;

export const HASHING = { sha256: sha256Hex, createHash: createSha256 };

/** A file that gives no statement; the message names it and says what is wrong where. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

/** Computes the statement of a snapshot in a file, which is read part by part. */
export async function computeFile(file: string): Promise<Statement> {
  try {
    return await computeStatement(readParts(file), HASHING);
  } catch (error) {
    if (!isOfSnapshot(error)) throw error;
    throw new UnreadableError(`${file}: ${error.message}`, { cause: error });
  }
}

/** True when the snapshot's content, its compression or the file system is at fault. */
function isOfSnapshot(error: unknown): error is Error {
  if (error instanceof SnapshotError || error instanceof PoolUnbalanced) return true;
  return error instanceof Error && 'errno' in error;
}

async function* readParts(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file, { highWaterMark: PART_BYTES });
  if (!file.endsWith('.gz')) {
    for await (const part of bytes) yield (part as Buffer).toString('latin1');
    return;
  }
  const plain = createGunzip({ chunkSize: PART_BYTES });
  bytes.on('error', (error) => plain.destroy(error));
  for await (const part of bytes.pipe(plain)) yield (part as Buffer).toString('latin1');
}

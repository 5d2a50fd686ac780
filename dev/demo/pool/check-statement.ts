import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { kysely } from '../../../domain/kysely.ts';
import type { Database } from '../../../platform/database/database.ts';

const COMMAND = join(import.meta.dirname, '../../../scripts/pool/main.ts');

/** Computes the month again, as anybody can, and compares the bytes. */
export async function checkStatement(database: Database, periodId: string): Promise<string> {
  const snapshot = await readFile(database, { periodId, file: 'snapshot' });
  const stored = gunzipSync(await readFile(database, { periodId, file: 'statement' }));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'));
  try {
    const [input, out] = [join(folder, 'snapshot.gz'), join(folder, 'statement.json')];
    writeFileSync(input, snapshot);
    execFileSync(process.execPath, [COMMAND, 'compute', input, '--out', out]);
    const computed = readFileSync(out);
    if (!computed.equals(stored)) throw new Error('The statement differs from the stored one.');
    return `the same ${computed.length} bytes, SHA-256 ${hash('sha256', computed)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function readFile(
  database: Database,
  { periodId, file }: { periodId: string; file: 'snapshot' | 'statement' },
): Promise<Buffer> {
  const parts = await kysely(database.em())
    .selectFrom('poolFilePart')
    .select('bytes')
    .where('periodId', '=', periodId)
    .where('file', '=', file)
    .orderBy('number')
    .execute();
  return Buffer.concat(parts.map(({ bytes }) => bytes));
}

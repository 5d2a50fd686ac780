import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { readPoolFile } from '../../../domain/pool/month-close/pool-file.repository.ts';
import type { Database } from '../../../platform/database/database.ts';

const COMMAND = join(import.meta.dirname, '../../../scripts/pool/main.ts');

/** Computes the month again, as anybody can, and compares the bytes. */
export async function checkStatement(database: Database, periodId: string): Promise<string> {
  const read = (file: 'snapshot' | 'statement') =>
    buffer(readPoolFile(database.em(), { periodId, file }));
  const snapshot = await read('snapshot');
  const stored = gunzipSync(await read('statement'));
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'));
  try {
    const [input, out] = [join(folder, 'snapshot.gz'), join(folder, 'statement.json')];
    writeFileSync(input, snapshot);
    const command = [COMMAND, 'compute', input, '--out', out];
    const printed = execFileSync(process.execPath, command, { encoding: 'utf8' });
    const computed = readFileSync(out);
    if (!computed.equals(stored)) throw new Error('The statement differs from the stored one.');
    return `the same ${computed.length} bytes: ${printed.trim()}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

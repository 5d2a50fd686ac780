import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSnapshotWriter } from '../../../domain/pool/snapshot/snapshot-writer.ts';
import { POOL_RULE } from '../../../domain/pool/split/pool-rule.ts';
import { createSha256, sha256Hex } from '../../../domain/shared/sha256.ts';
import { computeFile } from '../../../scripts/pool/read-snapshot.ts';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import { figures } from './table.ts';

const MEMBERS = 100_000;
const PRODUCTS = 2_000;
const PER_MEMBER = 10;
const DAYS = 3;
const FEE_MINOR = 999;

export const poolSnapshot: Measurement = {
  figures: figures('U3'),
  isByNameOnly: true,
  async measure(stage) {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'));
    try {
      const file = join(folder, 'snapshot.jsonl');
      const lines = await writeSnapshot(file);
      // `await`: the file is gone with the folder.
      return await inRounds(stage, async () => {
        const startedAt = performance.now();
        const { products } = await computeFile(file);
        const seconds = (performance.now() - startedAt) / 1_000;
        stage.say(`    ${lines} lines, ${products.length} products in ${seconds.toFixed(2)} s`);
        return { U3: lines / seconds };
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** A snapshot with ten products and 30 days for each Member; returns the number of its lines. */
async function writeSnapshot(file: string): Promise<number> {
  const products = Array.from({ length: PRODUCTS }, (_, index) => sha256Hex(`product ${index}`));
  const ids = Array.from({ length: MEMBERS }, (_, index) => sha256Hex(`member ${index}`)).sort();
  const terms = { period: '2026-10', rule: POOL_RULE.id, poolShareBps: 7_000 };
  const writer = createSnapshotWriter(
    { ...terms, currency: 'USD', correctedPeriods: [] },
    createSha256,
  );
  const productsOf = (index: number) =>
    Array.from({ length: PER_MEMBER }, (_, place) => {
      const product = products[(index * 7 + place * 199) % PRODUCTS]!;
      return { product, days: 1 + ((index + place) % (2 * DAYS - 1)) };
    });
  let lines = 0;
  function* parts() {
    yield writer.begin();
    for (const [index, member] of ids.entries()) {
      yield writer.member({ member, netMinor: FEE_MINOR, products: productsOf(index) });
    }
    const end = writer.end();
    lines = end.lines + 1;
    yield end.text;
  }
  await pipeline(Readable.from(parts()), createWriteStream(file));
  return lines;
}

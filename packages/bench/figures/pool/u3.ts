import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeFile } from '../../../../scripts/pool/read-snapshot.ts';
import { writeSnapshot } from '../../data/snapshot.ts';
import type { Figure } from '../../figure.ts';
import type { Stage } from '../../stage.ts';

const ROUNDS = 5;
const MEMBERS = 100_000;

export const u3: Figure = {
  id: 'U3',
  what: 'pool computed from a snapshot of 1,100,002 lines, lines/s',
  bounds: { must: 200_000, stretch: 500_000, better: 'higher' },
  isByNameOnly: true,
  measure: ({ say }) => measureCompute(say),
};

async function measureCompute(say: Stage['say']): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'));
  try {
    const file = join(folder, 'snapshot.jsonl');
    const lines = await writeSnapshot(file, { members: MEMBERS });
    const rounds: number[] = [];
    while (rounds.length < ROUNDS) {
      const startedAt = performance.now();
      const { products } = await computeFile(file);
      const seconds = (performance.now() - startedAt) / 1_000;
      say(`  ${lines} lines, ${products.length} products in ${seconds.toFixed(2)} s`);
      rounds.push(lines / seconds);
    }
    return rounds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

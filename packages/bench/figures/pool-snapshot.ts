import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computeFile } from '../../../scripts/pool/read-snapshot.ts';
import { writeSnapshot } from '../data/snapshot.ts';
import type { Measurement, Values } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';

const MEMBERS = 100_000;

export const poolSnapshot: Measurement = {
  figures: [
    {
      id: 'U3',
      what: 'pool computed from a snapshot of 1,100,002 lines, lines/s',
      bounds: { must: 200_000, stretch: 500_000, better: 'higher' },
    },
  ],
  isByNameOnly: true,
  measure: measureCompute,
};

async function measureCompute(stage: Stage): Promise<Values[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'));
  try {
    const file = join(folder, 'snapshot.jsonl');
    const lines = await writeSnapshot(file, { members: MEMBERS });
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
}

import { randomUUID } from 'node:crypto';
import { addProduct } from '../catalog/scene.ts';
import { meetCriteria, missCriteria, readSeal, WEEK_MS } from '../catalog/seals.ts';
import type { Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of the reviews of seals. */
export const SEAL_RUNS: Record<string, (stage: Stage) => Promise<Ended>> = {
  async 'seal-earned-in-the-second-week'(stage) {
    const { productId } = await addProduct(stage.testDatabase);
    return earn(stage, productId);
  },

  async 'seal-noticed-after-two-failures'(stage) {
    const { productId } = await addProduct(stage.testDatabase);
    await earn(stage, productId);
    return failFor(stage, productId, 2);
  },

  /** The notice began with the second failure: the eleventh review is 63 days later. */
  async 'seal-lost-after-60-days-of-notice'(stage) {
    const { productId } = await addProduct(stage.testDatabase);
    await earn(stage, productId);
    return failFor(stage, productId, 11);
  },

  async 'seal-reviewed-page-by-page'(stage) {
    for (let n = 0; n < 101; n += 1) await addProduct(stage.testDatabase);
    await stage.testDatabase.advance(WEEK_MS);
    return reviewNow(stage);
  },
};

async function earn(stage: Stage, productId: string): Promise<Ended> {
  await meetCriteria(stage.testDatabase, productId);
  await stage.testDatabase.advance(WEEK_MS);
  await reviewNow(stage);
  await stage.testDatabase.advance(WEEK_MS);
  return expectState(stage, { productId, state: 'held' });
}

async function failFor(stage: Stage, productId: string, weeks: number): Promise<Ended> {
  for (let week = 1; week < weeks; week += 1) {
    await missCriteria(stage.testDatabase, productId);
    await stage.testDatabase.advance(WEEK_MS);
    await reviewNow(stage);
  }
  await missCriteria(stage.testDatabase, productId);
  await stage.testDatabase.advance(WEEK_MS);
  return expectState(stage, { productId, state: weeks > 2 ? 'lost' : 'noticed' });
}

/** A recording must be of what its name says. */
async function expectState(
  stage: Stage,
  { productId, state }: { productId: string; state: string },
): Promise<Ended> {
  const ended = await reviewNow(stage);
  const seal = await readSeal(stage.testDatabase, productId);
  if (seal?.state !== state) throw new Error(`the seal is ${seal?.state}, not ${state}`);
  return ended;
}

async function reviewNow({ client, prefix }: Stage): Promise<Ended> {
  const workflowId = `${prefix}sealReview-${randomUUID()}`;
  const options = { taskQueue: `${prefix}upkeep`, workflowId };
  const reviewed: unknown = await client.workflow.execute('sealReview', options);
  return { workflowId, result: () => Promise.resolve(JSON.stringify(reviewed)) };
}

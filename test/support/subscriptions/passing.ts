import { skipTime } from '../engines/clock.ts';
import { timersOf, untilIdle, untilWaiting } from '../engines/temporal.ts';
import type { PostOffice } from '../identity/post-office.ts';
import { untilSimulated } from './subscribing.ts';

const DAY_MS = 86_400_000;

type Passing = { workflowId: string; timers: number; days?: number };

/**
 * Days pass for everybody; by default until the actor of a subscription wakes by itself. It learns
 * afterwards what the processor says of these days: a message between the steps of the two clocks
 * would let it count a short wait by the clock that stands, so that it woke once a day of a month.
 */
export async function passDays(
  { stage, holdMessages }: Pick<PostOffice, 'stage' | 'holdMessages'>,
  { workflowId, timers, days }: Passing,
): Promise<void> {
  const { client, testDatabase } = stage;
  await untilWaiting(client, { workflowId, timers });
  await holdMessages(async () => {
    await untilIdle(client, workflowId);
    const waits = await timersOf(client, workflowId);
    const milliseconds = days ? days * DAY_MS : waits.at(-1)! + DAY_MS / 100;
    await testDatabase.advance(milliseconds);
    await untilSimulated(stage);
    await skipTime({ client, workflowId, milliseconds });
    const more = (await timersOf(client, workflowId)).length - waits.length;
    if (more > 1) throw new Error(`${workflowId} woke ${more} times on the way`);
  });
}

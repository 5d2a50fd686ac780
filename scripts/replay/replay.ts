import { Worker } from '@temporalio/worker';
import type { Run } from './histories.ts';

type Replayed = Pick<Run, 'workflowId' | 'workflowType'> & {
  /** Is null when today's workflows fit. */
  difference: string | null;
};

/** Replays one run after the other in one worker. */
export async function* replay(
  workflowBundle: { code: string },
  runs: AsyncIterable<Run>,
): AsyncGenerator<Replayed> {
  // A run that is yielded here has its result before the next one is asked for.
  const begun: Run[] = [];
  let current: Run | undefined;
  async function* feed() {
    for await (const run of runs) {
      if (!hasBegun(run)) begun.push(run);
      else {
        current = run;
        yield run;
      }
    }
  }
  const fits = ({ workflowId, workflowType }: Run) => ({
    workflowId,
    workflowType,
    difference: null,
  });
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, feed())) {
    yield* begun.splice(0).map(fits);
    yield { ...fits(current!), difference: error ? explain(error) : null };
  }
  yield* begun.splice(0).map(fits);
}

/** A run without a finished workflow task has nothing to differ from. */
function hasBegun({ history }: Run): boolean {
  return (history.events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);
}

function explain({ message }: Error): string {
  const [, details = message] = /Details: ([^]*)/.exec(message) ?? [];
  return details.replaceAll(/\s+/g, ' ').trim();
}

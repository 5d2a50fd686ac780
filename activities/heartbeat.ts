import { heartbeat } from '@temporalio/activity';

const EVERY_MS = 1_000;

type Activity = (input: never) => Promise<unknown>;

/** Lets Temporal notice within seconds that the worker of an activity was lost. */
export function withHeartbeats<Activities extends Record<string, Activity>>(
  activities: Activities,
): Activities {
  const beating = Object.entries(activities).map(([name, run]) => [name, withHeartbeat(run)]);
  return Object.fromEntries(beating);
}

function withHeartbeat(run: Activity): Activity {
  return async (input) => {
    const timer = setInterval(heartbeat, EVERY_MS);
    try {
      return await run(input);
    } finally {
      clearInterval(timer);
    }
  };
}

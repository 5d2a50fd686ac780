import { ApplicationFailure } from '@temporalio/common';
import { parseUuid } from '../domain/shared/ids.ts';

type Activity = (input: never) => Promise<unknown>;

/** Columns of type uuid. The other ids are text. */
const UUIDS = ['membershipId', 'personId', 'productId', 'mailId', 'recoveryId', 'importId'];

/**
 * Refuses an input that can name no row, as of a workflow that was started by hand without one: the
 * database would refuse it at each try, without end.
 */
export function withInputs<Activities extends Record<string, Activity>>(
  activities: Activities,
): Activities {
  const asking = Object.entries(activities).map(([name, run]) => [
    name,
    run.length === 0 ? run : withInput(run),
  ]);
  return Object.fromEntries(asking);
}

function withInput(run: Activity): Activity {
  return async (input) => {
    if (isUsable(input)) return run(input);
    throw ApplicationFailure.nonRetryable('the input names no row', 'InvalidInput');
  };
}

function isUsable(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const fields = Object.entries(input);
  return fields.length > 0 && fields.every(([name, value]) => isStorable(name, value));
}

function isStorable(name: string, value: unknown): boolean {
  if (UUIDS.includes(name)) return typeof value === 'string' && parseUuid(value) !== null;
  return typeof value !== 'string' || !value.includes('\0');
}

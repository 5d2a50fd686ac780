import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { DAY_MS } from '../domain/shared/instant.ts';
import { messageSignal, type Message } from './contracts.ts';

/** The signals that one run of an entity workflow leaves to the next. */
export type PendingSignals = { seen: string[]; waiting: Message[] };

export type Signals = ReturnType<typeof receiveSignals>;

/** The reason of an activity, as operators read it in Temporal. */
export function summarize(taken: Message[]): string {
  const kinds = taken.map(({ kind }) => (typeof kind === 'string' ? kind : 'a signal'));
  return kinds.length > 0 ? `received: ${kinds.join(', ')}` : 'asking again';
}

const MAX_SEEN = 200;
const LONGEST_WAIT_MS = 365 * DAY_MS;

/**
 * Sets the handler before the workflow waits. A message that is delivered again soon is dropped; about
 * an older one the record's row decides. An operator may send anything, or nothing: it means "read the
 * row again". A handler that throws would fail the run's tasks for ever, after a reset too.
 */
export function receiveSignals(pending: PendingSignals = { seen: [], waiting: [] }) {
  const seen = new Set(pending.seen);
  const waiting = [...pending.waiting];
  setHandler(messageSignal, (received) => {
    const message: Message = typeof received === 'object' && received !== null ? received : {};
    const { outboxId } = message;
    if (outboxId !== undefined) {
      if (seen.has(outboxId)) return;
      seen.add(outboxId);
      if (seen.size > MAX_SEEN) seen.delete(seen.values().next().value!);
    }
    waiting.push(message);
  });
  const hasPending = () => waiting.length > 0;
  return {
    hasPending,
    /** Returns and removes the pending signals; the caller re-reads the row, unless a message holds its state. */
    drain: () => waiting.splice(0),
    /** Waits until a signal is pending, or for a time; true when one is pending. */
    async wait(milliseconds: number, summary: string) {
      if (milliseconds <= 0 || hasPending()) return hasPending();
      return condition(hasPending, Math.min(milliseconds, LONGEST_WAIT_MS), { summary });
    },
    pending: (): PendingSignals => ({ seen: [...seen], waiting: [...waiting] }),
  };
}

/** Begins the next run where the history has grown long, with the signals that wait. */
export async function continueWhenLong(input: object, signals: Signals): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested) return;
  // An operator's request is answered before its run is over.
  await condition(allHandlersFinished);
  await continueAsNew(input, signals.pending());
}

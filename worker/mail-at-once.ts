// A mail usually goes out at once. It is tried before its workflow starts, and then needs no run.
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowInputs } from '../domain/outbox/workflow-targets.ts';

export type InlineAttempt = (input: WorkflowInputs['sendMail']) => Promise<unknown>;

/** Is shorter, together with the call to Temporal after it, than the lease of a message. */
const TIMEOUT_MS = 4_000;

/** True when the mail needs no run any more. A slow attempt gets a run beside it. */
export function hasSucceededInline(attempt: InlineAttempt, input: WorkflowInputs['sendMail']) {
  const success = attempt(input).then(
    () => true,
    () => false,
  );
  return Promise.race([success, pause(TIMEOUT_MS, false, { ref: false })]);
}

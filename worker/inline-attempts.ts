// Messages that usually succeed at once are tried inline; a failed one becomes a workflow run.
import { setTimeout as pause } from 'node:timers/promises';
import type { ActorName } from '../domain/outbox/actors.ts';
import type { OutboxMessage } from '../domain/outbox/outbox.repository.ts';
import type { createMailActivities } from '../activities/mail/mail.activities.ts';

type FirstTry = (parts: string[]) => Promise<unknown>;

export type FirstTries = Partial<Record<ActorName, FirstTry>>;

const PATIENCE_MS = 5_000;

export function createFirstTries(mails: ReturnType<typeof createMailActivities>): FirstTries {
  return { sendMail: ([mailId]) => mails.sendMail({ mailId: mailId! }) };
}

/** The messages that need no run any more. A slow one gets a run beside it. */
export async function listOver(
  tryIt: FirstTry | undefined,
  messages: OutboxMessage[],
): Promise<OutboxMessage[]> {
  if (!tryIt) return [];
  const isOver = await Promise.all(
    messages.map((message) => {
      const over = tryIt(partsOf(message)).then(
        () => true,
        () => false,
      );
      return Promise.race([over, pause(PATIENCE_MS, false, { ref: false })]);
    }),
  );
  return messages.filter((_, index) => isOver[index]);
}

/** The parts of a workflow id after its type. */
export function partsOf({ workflowId }: OutboxMessage): string[] {
  return workflowId.split(':').slice(1);
}

// What is mostly over at once is tried before it costs a run: only what fails becomes one.
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

/** Those messages that need no run any more. One that takes long gets a run beside it. */
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

/** Of the id of an actor, what follows its type. */
export function partsOf({ workflowId }: OutboxMessage): string[] {
  return workflowId.split(':').slice(1);
}

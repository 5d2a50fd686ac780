import { condition, setHandler } from '@temporalio/workflow';
import { messageSignal, type Message } from './contracts.ts';

/** What one run of an actor leaves to the next. */
export type Mail = { seen: string[]; waiting: Message[] };

export type Mailbox = {
  hasMail(): boolean;
  /** Empties the mailbox: what follows has to re-read the row, unless a message says how it stood. */
  take(): Message[];
  /** Until there is mail, or for a time; true when there is mail. */
  wait(milliseconds: number, summary: string): Promise<boolean>;
  carry(): Mail;
};

/** Why an actor turns to its row, for whoever looks at its run. */
export function summarize(taken: Message[]): string {
  const kinds = taken.map(({ kind }) => String(kind));
  return kinds.length > 0 ? `told: ${kinds.join(', ')}` : 'asking again';
}

const REMEMBERED = 200;
const LONGEST_WAIT_MS = 365 * 24 * 60 * 60 * 1_000;

/** Handlers first, then the story. A message that was delivered twice is dropped. */
export function openMailbox(mail: Mail = { seen: [], waiting: [] }): Mailbox {
  const seen = new Set(mail.seen);
  const waiting = [...mail.waiting];
  setHandler(messageSignal, (message) => {
    if (seen.has(message.outboxId)) return;
    seen.add(message.outboxId);
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value!);
    waiting.push(message);
  });
  const hasMail = () => waiting.length > 0;
  return {
    hasMail,
    take: () => waiting.splice(0),
    async wait(milliseconds, summary) {
      if (milliseconds <= 0 || hasMail()) return hasMail();
      return condition(hasMail, Math.min(milliseconds, LONGEST_WAIT_MS), { summary });
    },
    carry: () => ({ seen: [...seen], waiting: [...waiting] }),
  };
}

import type { createBank } from './bank.ts';

type Bank = Awaited<ReturnType<typeof createBank>>;

/** Later words, and timers, say again what one of these said. */
const DROPPABLE = /^(invoice|customer\.subscription)\./;

/** Which word of the processor arrives when, how often, or never. */
export function createHearing(bank: Bank) {
  const dropped = new Set<string>();
  const received = new Set<string>();

  /** Counted round; from the end where negative. */
  async function pick(which: number): Promise<string | undefined> {
    const words = (await bank.words()).filter((body) => !dropped.has(body));
    return words.at(which % words.length);
  }

  async function hear(body: string): Promise<void> {
    await bank.hear(body);
    received.add(body);
  }

  return {
    async hear(which: number, copies: number): Promise<void> {
      const body = await pick(which);
      if (body) await Promise.all(Array.from({ length: copies }, () => hear(body)));
    },

    async drop(which: number): Promise<void> {
      const body = await pick(which);
      if (body && DROPPABLE.test(JSON.parse(body).type)) dropped.add(body);
    },

    /** Whatever was said until now arrives. */
    async hearAll(): Promise<void> {
      for (const body of await bank.words()) {
        if (!received.has(body) && !dropped.has(body)) await hear(body);
      }
    },
  };
}

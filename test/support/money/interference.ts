import type { Processor } from '../../../clients/processor/processor.ts';

/** A call that does not arrive, one whose answer is lost, one whose answer waits. */
export type Mishap = 'unheard' | 'unanswered' | 'late';

export type Interference = {
  processor: Processor;
  /** What befalls the next call. */
  next(mishap: Mishap | null): void;
  /** An answer waits. */
  untilHeld(): Promise<void>;
  /** Lets every answer through; nothing befalls the calls that follow. */
  release(): void;
};

/** A process that is killed beside a call looks like this from the outside. */
export class Mishappened extends Error {
  override name = 'Mishappened';
}

export function interfere(processor: Processor): Interference {
  let mishap: Mishap | null = null;
  let gate = Promise.withResolvers<void>();
  let held = Promise.withResolvers<void>();

  async function call(send: () => Promise<unknown>): Promise<unknown> {
    const now = mishap;
    mishap = null;
    if (now === 'unheard') throw new Mishappened();
    const answer = await send();
    if (now === 'unanswered') throw new Mishappened();
    if (now === 'late') {
      held.resolve();
      await gate.promise;
    }
    return answer;
  }

  return {
    processor: new Proxy(processor, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name);
        if (typeof own !== 'function') return own;
        return (...given: unknown[]) => call(() => Reflect.apply(own, target, given));
      },
    }),
    next(given) {
      mishap = given;
      held = Promise.withResolvers();
    },
    untilHeld: () => held.promise,
    release() {
      mishap = null;
      gate.resolve();
      gate = Promise.withResolvers();
    },
  };
}

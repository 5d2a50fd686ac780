export type Bell = {
  ring(): void;
  /** Until the bell rings, or for the given time; at once when it rang since the last wait. */
  wait(milliseconds: number): Promise<void>;
};

/** What a loop sleeps on: a ring is never lost, many rings are one. */
export function createBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async wait(milliseconds) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      hasRung = false;
    },
  };
}

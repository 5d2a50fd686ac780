export type Bell = {
  ring(): void;
  /** Waits for a ring or for the given time; a ring since the last wait ends it at once. */
  wait(milliseconds: number): Promise<void>;
};

/** A loop waits on it: no ring is lost, and many rings are one. */
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

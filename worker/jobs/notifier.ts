/** A loop waits on it: no notification is lost, and several are one. */
export function createNotifier() {
  let isNotified = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      isNotified = true;
      wake?.();
    },
    /** Waits for a notification or for the given time; a notification since the last wait ends it at once. */
    async wait(milliseconds: number) {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      isNotified = false;
    },
  };
}

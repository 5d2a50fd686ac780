const PROGRESS_EVERY_MS = 5_000;

export type Console = ReturnType<typeof createConsole>;

/** What the launcher shows. */
export function createConsole() {
  let shownAt = -Infinity;
  return {
    say: (line: string) => console.log(line),
    /** How far a long step is: now and then a line. */
    progress(line: string) {
      if (performance.now() - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = performance.now();
      console.log(line);
    },
  };
}

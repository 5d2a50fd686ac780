const LINE_EVERY_MS = 10_000;

export interface Console {
  /** A line that stays. */
  say(line: string): void;
  /** How far a long step is: rewritten in place on a terminal, else now and then a line. */
  progress(line: string): void;
}

/** What the launcher shows. Progress never floods a log file. */
export function createConsole(output: NodeJS.WriteStream = process.stdout): Console {
  let shownAt = -Infinity;
  let isOpen = false;
  const close = () => {
    if (isOpen) output.write('\n');
    isOpen = false;
  };
  return {
    say(line) {
      close();
      output.write(`${line}\n`);
    },
    progress(line) {
      if (output.isTTY) {
        output.write(`\r\u001B[2K${line}`);
        isOpen = true;
      } else if (performance.now() - shownAt > LINE_EVERY_MS) {
        shownAt = performance.now();
        output.write(`${line}\n`);
      }
    },
  };
}

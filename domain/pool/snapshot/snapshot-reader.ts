import type { CreateHash, Signed } from './canonical.ts';
import { LineProblem, readLine } from './fields.ts';
import { createGroupReader, type GroupReceiver } from './group-reader.ts';
import { readHeader, type SnapshotHeader } from './snapshot-header.ts';

/** A snapshot that is damaged or no snapshot; the message says in which line. */
export class SnapshotError extends Error {
  override name = 'SnapshotError';
}

export type SnapshotReceiver = GroupReceiver & { header(header: SnapshotHeader): void };

export type SnapshotReader = {
  /** The next part of the file as text, one character a byte (latin1). */
  push(text: string): void;
  /** Ends the reading after the last part. */
  end(): Signed;
};

const LAST_LINE = '{"lines":"';
const LONGEST_LINE = 65_536;

/** Reads a snapshot as it comes, checks each line, and hands on one Member after the other. */
export function createSnapshotReader(
  receiver: SnapshotReceiver,
  createHash: CreateHash,
): SnapshotReader {
  const hash = createHash();
  let groups: ReturnType<typeof createGroupReader> | null = null;
  let signed: Signed | null = null;
  let rest = '';
  let lines = 0;

  function read(text: string, { at, end }: { at: number; end: number }): void {
    if (signed) throw new LineProblem('the file has lines after its last line');
    if (text.startsWith(LAST_LINE, at)) signed = check(text.slice(at, end));
    else if (groups) groups.line(text, { at, end });
    else {
      const header = readHeader(text.slice(at, end));
      groups = createGroupReader(receiver, header);
      receiver.header(header);
    }
  }

  function check(line: string): Signed {
    if (!groups) throw new LineProblem('the first line must say format and rule');
    const said = readLine(line, ['lines', 'sha256']);
    groups.end();
    const sha256 = hash.hex();
    if (said.lines !== String(lines)) {
      throw new LineProblem(`the file says ${said.lines} lines, and ${lines} stand before`);
    }
    if (said.sha256 !== sha256) {
      throw new LineProblem(`the file says the hash ${said.sha256}, its lines have ${sha256}`);
    }
    return { lines, sha256 };
  }

  function readLines(text: string): void {
    let at = 0;
    let hashedTo = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      if (text.startsWith(LAST_LINE, at)) {
        hash.update(text.slice(hashedTo, at));
        hashedTo = end + 1;
      }
      read(text, { at, end });
      lines += 1;
      at = end + 1;
    }
    if (!signed) hash.update(text.slice(hashedTo, at));
    rest = text.slice(at);
    if (rest.length > LONGEST_LINE) throw new LineProblem('the line is too long');
  }

  return {
    push: (text) => named(() => readLines(rest + text)),
    end: () =>
      named(() => {
        if (rest !== '') throw new LineProblem('the file ends within the line');
        if (!signed) throw new LineProblem('the file ends without its last line of count and hash');
        return signed;
      }),
  };

  function named<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof LineProblem)) throw error;
      throw new SnapshotError(`line ${lines + 1}: ${error.message}`, { cause: error });
    }
  }
}

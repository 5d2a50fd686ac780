// `npm run pool`: the statement of a period from its snapshot, and the comparison of two rules.
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { writeStatement } from '../../domain/pool/statement/statement-file.ts';
import { createSha256 } from '../../domain/shared/sha256.ts';
import { UsageError } from '../command.ts';
import { readCommand, USAGE, type Command } from './command-line.ts';
import { computeFile, UnreadableError } from './read-snapshot.ts';
import { simulate, simulateExample } from './simulate.ts';

process.stdout.on('error', fail);
try {
  await run(readCommand(process.argv.slice(2)));
} catch (error) {
  fail(error);
}

function fail(error: unknown): never {
  console.error(explain(error));
  process.exit(2);
}

async function run(command: Command): Promise<void> {
  if (command.name === 'help') console.log(USAGE);
  else if (command.name === 'compute') await compute(command);
  else if (command.snapshot === null) console.log(await simulateExample());
  else console.log(simulate(await computeFile(command.snapshot)));
}

async function compute({ snapshot, out }: { snapshot: string; out: string | null }) {
  if (out !== null && isSameFile(out, snapshot)) {
    throw new UsageError('--out names the snapshot itself.');
  }
  const statement = await computeFile(snapshot);
  const { text, sha256 } = writeStatement(statement, createSha256);
  if (out === null) {
    process.stdout.write(text);
    return;
  }
  writeFileSync(out, text);
  console.log(
    `${statement.period} ${statement.currency}: ${statement.products.length} products, statement ${sha256}`,
  );
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);
}

function explain(error: unknown): unknown {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  return error instanceof UnreadableError || isOfFileSystem(error) ? error.message : error;
}

function isOfFileSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

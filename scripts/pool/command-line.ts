// The command line after `npm run pool --`.
import { parseWords, UsageError } from '../command.ts';

export const USAGE = `Usage: npm run pool -- compute <snapshot> [--out <file>]
       npm run pool -- simulate [<snapshot>]

  compute    makes the statement of a period from its snapshot, with the same bytes as the platform
  simulate   prints what each product would get user-centric and by a shared pot; without a snapshot
             for an example with a bot farm, which is the same in every run

  <snapshot>  a file of JSON Lines; .gz is uncompressed
  --out       writes the statement to this file instead of printing it

It needs no database and no server.
Exit codes: 0 success, 2 the command is wrong or the snapshot is damaged; one line says where.`;

export type Command =
  | { name: 'help' }
  | { name: 'compute'; snapshot: string; out: string | null }
  | { name: 'simulate'; snapshot: string | null };

const OPTIONS = { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;

export function readCommand(args: string[]): Command {
  const { values, positionals } = parseWords(args, OPTIONS);
  const [name, snapshot = null, ...stray] = positionals;
  if (values.help || args.length === 0) return { name: 'help' };
  if (stray.length > 0) throw new UsageError(`"${stray[0]}" is one name too many.`);
  if (name === 'compute') {
    if (snapshot === null) throw new UsageError('compute needs a snapshot.');
    return { name, snapshot, out: values.out ?? null };
  }
  if (name !== 'simulate') throw new UsageError(`Unknown command "${name ?? ''}".`);
  if (values.out !== undefined) throw new UsageError('simulate has no option --out.');
  return { name, snapshot };
}

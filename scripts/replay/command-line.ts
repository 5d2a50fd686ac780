// The command line after `npm run replay --`.
import { parseWords, UsageError } from '../command.ts';

export const USAGE = `Usage: npm run replay -- <workflow id or file>...
       npm run replay -- --open
       npm run replay -- --sample <number>

Replays histories against the workflows of this checkout, and says of each run whether they fit.

  <workflow id>  the latest run of this workflow
  <file>         a history that Temporal's UI or \`npm run temporal -- workflow show -o json\` has saved
  --open         all open runs; before each rollout
  --sample       so many runs, open and closed ones, the newest of each workflow type
  --address      host:port of the Temporal server
  --namespace    its namespace

Without --address it asks the server of TEMPORAL_ADDRESS (with the TLS settings and the key of the
worker), or else of \`npm start\` (GATEHOUSE_DATA_DIR, .gatehouse). It needs no database.
Exit codes: 0 all fit, 1 some do not, 2 the command is wrong or its histories are not to be had.`;

export type Command = {
  /** The histories to replay; null asks for help. */
  what: { named: string[] } | 'open' | { sample: number } | null;
  address: string | undefined;
  namespace: string | undefined;
};

const OPTIONS = {
  open: { type: 'boolean' },
  sample: { type: 'string' },
  address: { type: 'string' },
  namespace: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export function readCommand(args: string[]): Command {
  const { values, positionals: named } = parseWords(args, OPTIONS);
  const { address, namespace } = values;
  if (values.help || args.length === 0) return { what: null, address, namespace };
  const ways = [named.length > 0, values.open, values.sample !== undefined].filter(Boolean);
  if (ways.length !== 1) throw new UsageError('Name runs or files, or use --open or --sample.');
  if (values.open) return { what: 'open', address, namespace };
  if (values.sample === undefined) return { what: { named }, address, namespace };
  if (!/^[1-9]\d{0,5}$/.test(values.sample)) throw new UsageError('--sample needs a number.');
  return { what: { sample: Number(values.sample) }, address, namespace };
}

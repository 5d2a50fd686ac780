// Parses what follows `npm run admin --`.
import { parseArgs } from 'node:util';
import {
  judgeDisplayName,
  judgeEmail,
  judgeHandle,
  type Judged,
} from '../../domain/identity/person-fields.ts';

export const USAGE = `Usage: npm run admin -- <command>

  operator create --email <address> [--handle <handle>] [--name <name>] [--print-link]
      Makes an operator of whoever has the address; a person is made where nobody has it.
      Their sessions end. They have 24 hours to add a passkey, which operators need. Somebody new is
      mailed a link to choose a password; it works for an hour.
      --handle      of a new person; made from the address unless given
      --name        of a new person, as others see it; the handle unless given
      --print-link  prints that link here instead of mailing it
  operator recover --email <address> [--print-link]
      For an operator who has lost every passkey: removes their passkeys and their password, ends
      their sessions and mails them a link to choose a password, which works once and for an hour.
      They sign in with it and have 24 hours to add a passkey. All operators are told by mail.
  operator remove --email <address>
      Makes them a person like any other, and ends their sessions.
  operator list
  reseal
      Seals every sealed secret under the first key of SECRET_KEYS, and says which keys are still
      in use. May run beside API and worker, and again.

The database is DATABASE_URL's, or else that of \`npm start\` (GATEHOUSE_DATA_DIR, .gatehouse).
Exit code: 0 done or nothing to do, 1 refused or failed, 2 not understood.`;

/** The arguments are no command. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export type Command =
  | { name: 'help' }
  | { name: 'list' }
  | { name: 'reseal' }
  | { name: 'remove'; email: string }
  | { name: 'recover'; email: string; isLinkPrinted: boolean }
  | {
      name: 'create';
      email: string;
      handle: string;
      displayName: string;
      isLinkPrinted: boolean;
    };

const OPTIONS = {
  email: { type: 'string' },
  handle: { type: 'string' },
  name: { type: 'string' },
  'print-link': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type OptionName = keyof typeof OPTIONS;

/** The options of each command. */
const COMMANDS = {
  'operator create': ['email', 'handle', 'name', 'print-link'],
  'operator recover': ['email', 'print-link'],
  'operator remove': ['email'],
  'operator list': [],
  reseal: [],
} as const satisfies Record<string, readonly OptionName[]>;

export function readCommand(args: string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help || (args.length === 0 && positionals.length === 0)) return { name: 'help' };
  const words = positionals.join(' ');
  if (!isCommand(words)) throw new UsageError(`There is no command "${words}".`);
  const taken: readonly string[] = COMMANDS[words];
  const stray = Object.keys(values).find((name) => !taken.includes(name));
  if (stray) throw new UsageError(`"${words}" takes no --${stray}.`);
  if (words === 'operator list') return { name: 'list' };
  if (words === 'reseal') return { name: 'reseal' };
  const email = judged('--email', judgeEmail(values.email ?? ''));
  if (words === 'operator remove') return { name: 'remove', email };
  const isLinkPrinted = values['print-link'] ?? false;
  if (words === 'operator recover') return { name: 'recover', email, isLinkPrinted };
  const handle = judged('--handle', judgeHandle(values.handle ?? handleFrom(email)));
  const displayName = judged('--name', judgeDisplayName(values.name ?? handle));
  return { name: 'create', email, handle, displayName, isLinkPrinted };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (fault) {
    throw new UsageError((fault as Error).message, { cause: fault });
  }
}

function isCommand(words: string): words is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, words);
}

const PROBLEMS = {
  required: 'is needed',
  too_long: 'is too long',
  not_an_address: 'is not an email address',
  not_a_handle: 'needs 3 to 24 lower-case letters, digits and underscores',
  reserved: 'is a reserved name: choose another',
  unreadable: 'holds characters that cannot be shown',
};

function judged(option: string, { value, problem }: Judged): string {
  if (problem) throw new UsageError(`${option} ${PROBLEMS[problem]}.`);
  return value;
}

/** A handle from the start of the address. */
function handleFrom(email: string): string {
  const [start = ''] = email.toLowerCase().split('@');
  return start.replaceAll(/[^a-z0-9]+/g, '_').slice(0, 24);
}

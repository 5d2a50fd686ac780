// The command line after `npm run admin --`.
import {
  validateDisplayName,
  validateEmail,
  validateHandle,
  type FieldValue,
} from '../../domain/identity/person-fields.ts';
import { parseWords, UsageError } from '../command.ts';

export const USAGE = `Usage: npm run admin -- <command>

  operator create --email <address> [--handle <handle>] [--name <name>] [--print-link]
      Makes the person with this address an operator, or creates an account for it. All sessions of
      the person end, and the person has 24 hours to add a passkey, which operators need. A new
      person gets an email with a link to choose a password, which works for one hour.
      --handle      handle of a new person (default: from the address)
      --name        display name of a new person (default: the handle)
      --print-link  prints the link instead of emailing it
  operator recover --email <address> [--print-link]
      Resets the sign-in of an operator who lost all passkeys: removes the passkeys and the password,
      ends all sessions, and emails a link to choose a password, which works once, for one hour. The
      operator then has 24 hours to add a passkey. All operators get an email.
  operator remove --email <address>
      Removes the operator role from the person and ends all sessions of the person.
  operator list
      Lists all operators.
  rotate-key
      Encrypts all secrets with the first key of SECRET_KEYS, and lists the keys that are still in use.
      You can run it at any time, also repeatedly.

Uses the database of DATABASE_URL, or else of \`npm start\` (GATEHOUSE_DATA_DIR, .gatehouse).
Exit codes: 0 success or nothing to do, 1 refused or failed, 2 unknown command or option.`;

export type Command =
  | { name: 'help' }
  | { name: 'list' }
  | { name: 'rotate-key' }
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
  'rotate-key': [],
} as const satisfies Record<string, readonly OptionName[]>;

export function readCommand(args: string[]): Command {
  const { values, positionals } = parseWords(args, OPTIONS);
  if (values.help || (args.length === 0 && positionals.length === 0)) return { name: 'help' };
  const words = positionals.join(' ');
  if (!isCommand(words)) throw new UsageError(`Unknown command "${words}".`);
  const taken: readonly string[] = COMMANDS[words];
  const stray = Object.keys(values).find((name) => !taken.includes(name));
  if (stray) throw new UsageError(`"${words}" has no option --${stray}.`);
  if (words === 'operator list') return { name: 'list' };
  if (words === 'rotate-key') return { name: 'rotate-key' };
  const email = validated('--email', validateEmail(values.email ?? ''));
  if (words === 'operator remove') return { name: 'remove', email };
  const isLinkPrinted = values['print-link'] ?? false;
  if (words === 'operator recover') return { name: 'recover', email, isLinkPrinted };
  const handle = validated('--handle', validateHandle(values.handle ?? handleFrom(email)));
  const displayName = validated('--name', validateDisplayName(values.name ?? handle));
  return { name: 'create', email, handle, displayName, isLinkPrinted };
}

function isCommand(words: string): words is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, words);
}

const PROBLEMS = {
  required: 'is required',
  too_long: 'is too long',
  not_an_address: 'is not an email address',
  not_a_handle: 'needs 3 to 24 lowercase letters, digits and underscores',
  reserved: 'is a reserved name',
  unreadable: "has characters that can't be shown",
  web_address: 'has a web address',
};

function validated(option: string, { value, problem }: FieldValue): string {
  if (problem) throw new UsageError(`${option} ${PROBLEMS[problem]}.`);
  return value;
}

/** Makes a handle of the start of the address. */
function handleFrom(email: string): string {
  const [start = ''] = email.toLowerCase().split('@');
  return start.replaceAll(/[^a-z0-9]+/g, '_').slice(0, 24);
}

import { makeMailToken } from '../../domain/identity/mail/mail-link.ts';
import {
  appointOperator,
  dismissOperator,
  recoverOperator,
  type Appointment,
} from '../../domain/identity/operators/operator.command.ts';
import {
  listOperators,
  type Operator,
} from '../../domain/identity/operators/operator.repository.ts';
import type { Database } from '../../platform/database/database.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { createTokenSigner, type SecretKey } from '../../domain/shared/secrets.ts';
import { alignColumns } from '../columns.ts';
import type { Command } from './command-line.ts';

type Create = Extract<Command, { name: 'create' }>;

/** The settings of links. */
export type LinkSettings = { baseUrl: string; secretKeys: SecretKey[] };

const REFUSALS = {
  handle_taken: 'This handle is taken. Choose another one with --handle.',
  unproven_address:
    'The email address of this account is not confirmed. Ask its owner to choose a new password at /forgot-password. That confirms the address. Then run this command again.',
  unproven_credentials:
    'The account has a password or a passkey from before its address was confirmed, so someone else may know it. Ask its owner to choose a new password at /forgot-password, then run this command again.',
  not_operator: 'This person is not an operator. Nothing changed.',
  unknown: 'No account has this address.',
};

/** The reason of a refusal, in words for the terminal. */
export class Refused extends Error {
  override name = 'Refused';

  constructor(reason: keyof typeof REFUSALS) {
    super(REFUSALS[reason]);
  }
}

/** Appoints an operator. With `links` the link is printed instead of mailed. */
export async function createOperator(
  database: Database,
  { command, links }: { command: Create; links: LinkSettings | null },
): Promise<string[]> {
  const input = { ...command, isLinkMailed: links === null };
  const appointment = await appointOperator(database.em(), input);
  if (isRefusal(appointment)) throw new Refused(appointment.refused);
  const { needsLink } = appointment;
  return [describe(appointment), ...(needsLink ? describeLink(appointment, links) : [])];
}

/** Lets an operator begin anew who lost every passkey. */
export async function letOperatorBeginAnew(
  database: Database,
  { email, links }: { email: string; links: LinkSettings | null },
): Promise<string[]> {
  const operator = await recoverOperator(database.em(), { email, isLinkMailed: links === null });
  if (isRefusal(operator)) throw new Refused(operator.refused);
  return [
    `The passkeys, password and sessions of ${nameOperator(operator)} were removed.`,
    ...describeLink(operator, links),
    'The operator has 24 hours from now to sign in and add a passkey in the settings.',
  ];
}

export async function removeOperator(database: Database, email: string): Promise<string[]> {
  const operator = await dismissOperator(database.em(), email);
  if (isRefusal(operator)) throw new Refused(operator.refused);
  const name = nameOperator(operator);
  if (!operator.wasOperator) return [`${name} is not an operator. Nothing changed.`];
  const sentence = `${name} is no longer an operator. All sessions ended.`;
  return operator.isLast ? [sentence, 'No operators are left.'] : [sentence];
}

export async function showOperators(database: Database): Promise<string[]> {
  const found = await listOperators(database.em());
  if (found.length === 0) return ['No operators.'];
  return alignColumns(found.map(({ handle, email }) => [handle, email]));
}

function describe(appointment: Appointment): string {
  const name = nameOperator(appointment);
  if (appointment.outcome === 'created') return `Created operator ${name}.`;
  if (appointment.outcome === 'unchanged') return `${name} is already an operator.`;
  return `${name} is now an operator and must sign in again.`;
}

/** Tells where the link for choosing a password is found. */
function describeLink(
  { email, linkId }: Pick<Appointment, 'email' | 'linkId'>,
  links: LinkSettings | null,
): string[] {
  if (linkId === null || links === null) {
    return [`The worker emails ${email} a link to choose a password. The link works for one hour.`];
  }
  const token = makeMailToken(createTokenSigner(links.secretKeys), linkId);
  return [
    'Open this link to choose a password. The link works once, for one hour, and is not shown again:',
    `${links.baseUrl}/reset-password?token=${token}`,
  ];
}

function nameOperator({ handle, email }: Operator): string {
  return `${handle} (${email})`;
}

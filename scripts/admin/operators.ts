import type { AuditAction } from '../../domain/audit/audit-actions.ts';
import { recordAudit } from '../../domain/audit/audit.repository.ts';
import { makeMailToken } from '../../domain/identity/mail/mail-link.ts';
import { insertMail, queueMail } from '../../domain/identity/mail/mail.repository.ts';
import { revokeMailLinks } from '../../domain/identity/mail/mail-link.repository.ts';
import {
  appointOperator,
  dismissOperator,
  listOperators,
  type Appointed,
  type Operator,
} from '../../domain/identity/operators/operator.repository.ts';
import type { Database, EntityManager } from '../../platform/database/database.ts';
import { isRefusal, type Refusal } from '../../domain/shared/refusal.ts';
import { createTokenSigner, type SecretKey } from '../../domain/shared/secrets.ts';
import { alignColumns } from '../columns.ts';
import type { Command } from './command-line.ts';

type Create = Extract<Command, { name: 'create' }>;

/** The settings of links. */
export type LinkSettings = { baseUrl: string; secretKeys: SecretKey[] };

/** The terminal has no person and no IP address. */
const AT_THE_TERMINAL = { personId: null, ip: null };

const REFUSALS = {
  handle_taken: 'This handle is taken. Choose another one with --handle.',
  unproven_address:
    'The email address of this account is not confirmed. Ask its owner to choose a new password at /forgot-password. That confirms the address. Then run this command again.',
  unproven_credentials:
    'The account has a password or a passkey from before its address was confirmed, so someone else may know it. Ask its owner to choose a new password at /forgot-password, then run this command again.',
  not_operator: 'This person is not an operator. Nothing changed.',
  unknown: 'No account has this address.',
};

/** Why the command refuses, in words for the terminal. */
export class Refused extends Error {
  override name = 'Refused';

  constructor(reason: keyof typeof REFUSALS) {
    super(REFUSALS[reason]);
  }
}

/** Creates an operator; with `links` the link is printed instead of mailed. */
export async function createOperator(
  database: Database,
  { command, links }: { command: Create; links: LinkSettings | null },
): Promise<string[]> {
  const done = await database.transaction(async (em) => {
    const appointed = await appointOperator(em, command);
    if (isRefusal(appointed)) return appointed;
    if (appointed.outcome !== 'unchanged') {
      await audit(em, `operator.${appointed.outcome}`, appointed);
    }
    const linkId = appointed.needsLink ? await makeLink(em, appointed, links === null) : null;
    return { appointed, linkId };
  });
  if (isRefusal(done)) return refused(done);
  const { appointed, linkId } = done;
  return [
    describe(appointed),
    ...(appointed.needsLink ? describeLink(appointed, linkId, links) : []),
  ];
}

export async function removeOperator(database: Database, email: string): Promise<string[]> {
  const { dismissed, left } = await database.transaction(async (em) => {
    const dismissed = await dismissOperator(em, email);
    if (dismissed?.wasOperator) await audit(em, 'operator.removed', dismissed);
    return { dismissed, left: await listOperators(em) };
  });
  if (!dismissed) throw new Refused('unknown');
  const who = named(dismissed);
  if (!dismissed.wasOperator) return [`${who} is not an operator. Nothing changed.`];
  const said = `${who} is no longer an operator. All sessions ended.`;
  return left.length > 0 ? [said] : [said, 'No operators are left.'];
}

export async function showOperators(database: Database): Promise<string[]> {
  const found = await listOperators(database.em());
  if (found.length === 0) return ['No operators.'];
  return alignColumns(found.map(({ handle, email }) => [handle, email]));
}

/** Only the newest link works. */
export async function makeLink(
  em: EntityManager,
  { personId, email: address }: Operator,
  isMailed: boolean,
): Promise<string | null> {
  const purpose = 'reset_password';
  await revokeMailLinks(em, { personId, purpose });
  if (!isMailed) return insertMail(em, { purpose, personId, address });
  await queueMail(em, { purpose, personId, address });
  return null;
}

function describe(appointed: Appointed): string {
  const who = named(appointed);
  if (appointed.outcome === 'created') return `Created operator ${who}.`;
  if (appointed.outcome === 'unchanged') return `${who} is already an operator.`;
  return `${who} is now an operator and must sign in again.`;
}

/** Describes where the link for choosing a password is found. */
export function describeLink(
  { email }: Operator,
  linkId: string | null,
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

export async function audit(
  em: EntityManager,
  action: AuditAction & `operator.${string}`,
  { personId }: Operator,
): Promise<void> {
  await recordAudit(em, { by: AT_THE_TERMINAL, action, subject: personId });
}

export function named({ handle, email }: Operator): string {
  return `${handle} (${email})`;
}

export function refused({ refused: reason }: Refusal<keyof typeof REFUSALS>): never {
  throw new Refused(reason);
}

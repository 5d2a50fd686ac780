import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import type { AuditAction } from './audit-actions.ts';

/** The person and the address of an action; no person at the command line. */
export type Actor = { personId: string | null; ip: string | null };

export type AuditEntry = {
  by: Actor;
  action: AuditAction;
  /** Id or name of the subject. */
  subject: string;
  teamId?: string | null;
  productId?: string | null;
  /** What changed: never a secret, never an email address. */
  detail?: Record<string, string | number | boolean | null | readonly string[]>;
};

/** Belongs in the transaction of the action. */
export async function recordAudit(em: EntityManager, entry: AuditEntry): Promise<void> {
  const { by, action, subject, teamId = null, productId = null, detail = {} } = entry;
  await rows(
    em,
    `insert into audit (id, actor_id, action, subject, team_id, product_id, detail, ip)
     values (?, ?, ?, ?, ?, ?, ?::jsonb, ?)`,
    [newUuid(), by.personId, action, subject, teamId, productId, JSON.stringify(detail), by.ip],
  );
}

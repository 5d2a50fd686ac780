import { rows, type EntityManager } from '../../platform/database/database.ts';

export type ParkedMessage = {
  id: string;
  workflowType: string;
  workflowId: string;
  message: Record<string, unknown>;
  lastError: string | null;
  createdAt: Date;
  parkedAt: Date;
};

/** `next` is the id of the last message shown when older ones follow. */
export type ParkedMessages = { lines: ParkedMessage[]; next: string | null };

const PAGE = 50;

/** Lists the messages that Temporal refused, the newest first. */
export async function listParkedMessages(
  em: EntityManager,
  before: string | null,
): Promise<ParkedMessages> {
  const found = await rows<ParkedMessage>(
    em,
    `select id::text as id, workflow_type as "workflowType", workflow_id as "workflowId", message,
       last_error as "lastError", created_at as "createdAt", parked_at as "parkedAt"
     from outbox where parked_at is not null and (?::bigint is null or id < ?::bigint)
     order by id desc limit ?`,
    [before, before, PAGE + 1],
  );
  const lines = found.slice(0, PAGE).map((line) => ({
    ...line,
    createdAt: new Date(line.createdAt),
    parkedAt: new Date(line.parkedAt),
  }));
  return { lines, next: found.length > PAGE ? lines.at(-1)!.id : null };
}

/** Sends a message again with ten tries of its own; null when it does not wait for an operator. */
export async function sendParkedAgain(
  em: EntityManager,
  id: string,
): Promise<{ workflowId: string } | null> {
  const [sent] = await rows<{ workflowId: string }>(
    em,
    `update outbox set parked_at = null, refusals = 0, lease_until = null
     where id = ?::bigint and parked_at is not null returning workflow_id as "workflowId"`,
    [id],
  );
  return sent ?? null;
}

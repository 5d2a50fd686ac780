import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { AlertKind } from './alert-kind.ts';

export type AlertLine = {
  id: string;
  kind: AlertKind;
  subject: string;
  detail: Record<string, string | number | null>;
  times: number;
  raisedAt: Date;
  lastRaisedAt: Date;
  resolvedAt: Date | null;
  /** Null for an alert that is open or resolved itself. */
  resolvedBy: string | null;
};

/** `next` is the id of the last alert shown when older ones follow. */
export type AlertPage = { lines: AlertLine[]; next: string | null };

const PAGE = 50;

/** Lists open alerts, or resolved ones, the newest first. */
export async function listAlerts(
  em: EntityManager,
  { isOpen, before }: { isOpen: boolean; before: string | null },
): Promise<AlertPage> {
  const found = await rows<AlertLine & Record<string, unknown>>(
    em,
    `select a.id, a.kind, a.subject, a.detail, a.times, a.raised_at as "raisedAt",
       a.last_raised_at as "lastRaisedAt", a.resolved_at as "resolvedAt", p.handle as "resolvedBy"
     from alert a left join person p on p.id = a.resolved_by
     where (a.resolved_at is null) = ? and (?::uuid is null or a.id < ?)
     order by a.id desc limit ?`,
    [isOpen, before, before, PAGE + 1],
  );
  const lines = found.slice(0, PAGE).map((line) => ({
    ...line,
    raisedAt: new Date(line.raisedAt),
    lastRaisedAt: new Date(line.lastRaisedAt),
    resolvedAt: line.resolvedAt === null ? null : new Date(line.resolvedAt),
  }));
  return { lines, next: found.length > PAGE ? lines.at(-1)!.id : null };
}

/**
 * Returns the subject of the alert, or null when it is not open: of two operators at once, one
 * resolves it.
 */
export async function resolveAlert(
  em: EntityManager,
  { id, personId }: { id: string; personId: string },
): Promise<{ kind: AlertKind; subject: string } | null> {
  const [resolved] = await rows<{ kind: AlertKind; subject: string }>(
    em,
    `update alert set resolved_at = gatehouse_now(), resolved_by = ?
     where id = ? and resolved_at is null returning kind, subject`,
    [personId, id],
  );
  return resolved ?? null;
}

export async function countAlerts(em: EntityManager): Promise<{ kind: AlertKind; open: number }[]> {
  return rows(
    em,
    `select kind, count(*)::int as open from alert where resolved_at is null group by kind`,
  );
}

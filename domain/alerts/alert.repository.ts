import { queueMail } from '../identity/mail/mail.repository.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import type { AlertKind } from './alert-kind.ts';

export type NewAlert = {
  kind: AlertKind;
  /** Id or name of the subject. */
  subject: string;
  /** What was seen: never a secret, never an email address. */
  detail?: Record<string, string | number | null>;
};

// Operators who were mailed a moment ago need no second mail.
const MAIL_PAUSE_MINUTES = 30;

/**
 * Raises an alert in the caller's transaction; call it last there, because it locks the row of the
 * alert. A second alert of the same kind and subject only counts.
 */
export async function raiseAlert(em: EntityManager, alert: NewAlert): Promise<void> {
  const { kind, subject, detail = {} } = alert;
  const [raised] = await rows<{ times: number }>(
    em,
    `insert into alert (id, kind, subject, detail) values (?, ?, ?, ?::jsonb)
     on conflict (kind, subject) where resolved_at is null
     do update set times = alert.times + 1, last_raised_at = gatehouse_now(), detail = excluded.detail
     returning times`,
    [newUuid(), kind, subject, JSON.stringify(detail)],
  );
  if (raised!.times === 1) await mailAlerts(em);
}

/**
 * Sends each operator one mail for all alerts without a mail, unless another mail went out a moment
 * ago.
 */
export async function mailAlerts(em: EntityManager): Promise<void> {
  const told = await rows(
    em,
    `update alert set mailed_at = gatehouse_now() where id in (
       select id from alert where resolved_at is null and mailed_at is null
         and not exists (select from alert where
           mailed_at > gatehouse_now() - interval '${MAIL_PAUSE_MINUTES} minutes')
       order by id limit 1000 for update skip locked
     ) returning 1`,
  );
  if (told.length === 0) return;
  const operators = await rows<{ personId: string; address: string }>(
    em,
    `select id as "personId", email as address from person
     where is_operator and email_verified_at is not null and deleted_at is null order by id`,
  );
  for (const operator of operators) await queueMail(em, { purpose: 'alert_raised', ...operator });
}

/** For a kind that is checked as a whole: raises the given alerts and withdraws all others. */
export async function replaceAlerts(
  em: EntityManager,
  kind: AlertKind,
  current: Omit<NewAlert, 'kind'>[],
): Promise<void> {
  const subjects = current.map(({ subject }) => subject);
  await rows(
    em,
    `update alert set resolved_at = gatehouse_now()
     where kind = ? and subject <> all(?::text[]) and resolved_at is null`,
    [kind, toArrayParameter(subjects)],
  );
  for (const alert of current) await raiseAlert(em, { kind, ...alert });
}

/** Withdraws alerts whose cause has ended by itself. */
export async function withdrawAlerts(
  em: EntityManager,
  { kinds, subject }: { kinds: readonly AlertKind[]; subject: string },
): Promise<void> {
  await rows(
    em,
    `update alert set resolved_at = gatehouse_now()
     where kind = any(?::text[]) and subject = ? and resolved_at is null`,
    [toArrayParameter(kinds), subject],
  );
}

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

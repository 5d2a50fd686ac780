import { queueMail } from '../identity/mail/mail.repository.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import type { AlertKind } from './alert-kind.ts';

export type NewAlert = {
  kind: AlertKind;
  /** The id or the name of what it is about. */
  subject: string;
  /** What was seen; never a secret, never a mail address. */
  detail?: Record<string, string | number | null>;
};

// Who was told to look at the list needs no second mail for what came minutes later.
const MAIL_PAUSE_MINUTES = 30;

/**
 * Tells operators of what the caller's transaction has noticed; call it last there. While it is
 * open, a second one of the same kind and subject only counts.
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

/** One mail to each operator for all that nobody was told of, unless they were told of others a moment ago. */
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

/** Of a kind that is looked at as a whole: what is the matter now is raised, all else of it is over. */
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

/** What has come to its end by itself needs nobody any more. */
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

import { queueMail } from '../identity/mail/mail.repository.ts';
import { findOperators } from '../notifications/recipients.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, anyOf, NOW } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely } from '../kysely.ts';
import { newUuid } from '../shared/ids.ts';
import type { AlertKind } from './alert-kind.ts';

export type NewAlert = {
  kind: AlertKind;
  /** Id or name of the subject. */
  subject: string;
  /** What was seen: never a secret, never an email address. */
  detail?: Record<string, string | number | null>;
};

/**
 * Raises an alert in the caller's transaction; call it last there, because it locks the row of the
 * alert. A second alert of the same kind and subject only counts.
 */
export async function raiseAlert(em: EntityManager, alert: NewAlert): Promise<void> {
  const { kind, subject, detail = {} } = alert;
  const { times } = await kysely(em)
    .insertInto('alert')
    .values({ id: newUuid(), kind, subject, detail })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'subject'])
        .where('resolvedAt', 'is', null)
        .doUpdateSet(({ eb }) => ({ times: eb('alert.times', '+', 1), lastRaisedAt: NOW, detail })),
    )
    .returning('times')
    .executeTakeFirstOrThrow();
  if (times === 1) await mailAlerts(em);
}

// Operators who were mailed a moment ago need no second mail.
const MAIL_PAUSE = '30 minutes';

/**
 * Sends each operator one mail for all alerts without a mail, unless another mail went out a moment
 * ago.
 */
export async function mailAlerts(em: EntityManager): Promise<void> {
  const mailed = await kysely(em)
    .updateTable('alert')
    .set({ mailedAt: NOW })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('alert')
        .select('id')
        .where('resolvedAt', 'is', null)
        .where('mailedAt', 'is', null)
        .where(({ not, exists }) =>
          not(exists(selectFrom('alert').select('id').where('mailedAt', '>', ago(MAIL_PAUSE)))),
        )
        .orderBy('id')
        .limit(1_000)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  if (mailed.numUpdatedRows === 0n) return;
  for (const operator of await findOperators(em)) {
    await queueMail(em, { purpose: 'alert_raised', ...operator });
  }
}

const resolveOpen = (em: EntityManager) =>
  kysely(em).updateTable('alert').set({ resolvedAt: NOW }).where('resolvedAt', 'is', null);

/**
 * Raises the given alerts and withdraws all others of their kind: the kind is checked as a whole.
 */
export async function replaceAlerts(
  em: EntityManager,
  kind: AlertKind,
  current: Omit<NewAlert, 'kind'>[],
): Promise<void> {
  const subjects = current.map(({ subject }) => subject);
  await resolveOpen(em)
    .where('kind', '=', kind)
    .where(({ not, eb }) => not(eb('subject', '=', anyOf(subjects))))
    .execute();
  for (const alert of current) await raiseAlert(em, { kind, ...alert });
}

/** Withdraws alerts whose cause has ended by itself. */
export async function withdrawAlerts(
  em: EntityManager,
  { kinds, subject }: { kinds: readonly AlertKind[]; subject: string },
): Promise<void> {
  await resolveOpen(em).where('kind', '=', anyOf(kinds)).where('subject', '=', subject).execute();
}

export type AlertPage = Awaited<ReturnType<typeof listAlerts>>;
export type AlertLine = AlertPage['lines'][number];

const PAGE = 50;

/**
 * Lists open alerts, or resolved ones, the newest first; nobody resolved one that is open or whose
 * cause ended. `next` is the id of the last alert shown when older ones follow.
 */
export async function listAlerts(
  em: EntityManager,
  { isOpen, before }: { isOpen: boolean; before: string | null },
) {
  const alerts = await kysely(em)
    .selectFrom('alert')
    .leftJoin('person', 'person.id', 'alert.resolvedBy')
    .select(['alert.id', 'alert.kind', 'alert.subject', 'alert.detail', 'alert.times'])
    .select(['alert.raisedAt', 'alert.lastRaisedAt', 'alert.resolvedAt'])
    .select('person.handle as resolvedBy')
    .where('alert.resolvedAt', isOpen ? 'is' : 'is not', null)
    .$if(before !== null, (alertsOf) => alertsOf.where('alert.id', '<', before))
    .orderBy('alert.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  return toPage(alerts, PAGE, ({ id }) => id);
}

/**
 * Returns the subject of the alert, or null when it is not open: of two operators at once, one
 * resolves it.
 */
export async function resolveAlert(
  em: EntityManager,
  { id, personId }: { id: string; personId: string },
): Promise<{ kind: AlertKind; subject: string } | null> {
  const resolved = await resolveOpen(em)
    .set({ resolvedBy: personId })
    .where('id', '=', id)
    .returning(['kind', 'subject'])
    .executeTakeFirst();
  return resolved ?? null;
}

export async function countAlerts(em: EntityManager): Promise<{ kind: AlertKind; open: number }[]> {
  return kysely(em)
    .selectFrom('alert')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('open')])
    .where('resolvedAt', 'is', null)
    .groupBy('kind')
    .execute();
}

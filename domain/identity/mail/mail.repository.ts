import { mailWorkflow } from '../../outbox/workflow-targets.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { nameForMail } from '../person-fields.ts';
import { newUuid } from '../../shared/ids.ts';
import { toMinute } from '../../shared/instant.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import {
  readLifetimeHours,
  type MailPurpose,
  type MoneyPurpose,
  type PersonalPurpose,
} from './mail-purpose.ts';

export type OutgoingMail = {
  purpose: PersonalPurpose;
  personId: string;
  address: string;
  /** The device of a sign-in. */
  device?: string;
};

type MailRow = {
  purpose: MailPurpose;
  address: string;
  personId?: string;
  invitationId?: string;
  purchaseId?: string;
  paymentId?: string;
  device?: string;
};

/** Queues a mail in the transaction of its change; the text is composed when the mail is sent. */
export async function queueMail(em: EntityManager, mail: OutgoingMail): Promise<void> {
  await queue(em, mail);
}

/** Writes the rows of a mail to nobody, so that a request without a mail does the same work. */
export async function queueDeadMail(em: EntityManager, purpose: PersonalPurpose): Promise<void> {
  await queue(em, { purpose, address: '', hours: 0 });
}

/** Makes a link that is handed over instead of mailed. */
export async function insertMail(em: EntityManager, mail: OutgoingMail): Promise<string> {
  return insertRow(em, { ...mail, isQueued: false });
}

/** Queues a mail to an address that may have no account; the text comes from the invitation's row. */
export async function queueInvitationMail(
  em: EntityManager,
  mail: { invitationId: string; address: string },
): Promise<void> {
  await queue(em, { purpose: 'team_invitation', ...mail });
}

/** Queues a mail to a buyer; the text comes from the receipt's row. */
export async function queueReceiptMail(
  em: EntityManager,
  mail: ({ purchaseId: string } | { paymentId: string }) & { personId: string; address: string },
): Promise<void> {
  const purpose = 'purchaseId' in mail ? 'purchase_receipt' : 'charge_receipt';
  await queue(em, { purpose, ...mail });
}

export type MoneyFacts = Record<string, string>;

export type MoneyMail = {
  purpose: MoneyPurpose;
  personId: string;
  address: string;
  /** A person gets one mail of a purpose about it, whoever asks for it. */
  subject: string;
  /** Is null to gather: the mail is queued later, by `queueGathered`. */
  facts: MoneyFacts | null;
};

/** Belongs in the transaction of the change; false when the person was mailed about it before. */
export async function queueMoneyMail(em: EntityManager, mail: MoneyMail): Promise<boolean> {
  const { purpose, facts } = mail;
  const id = newUuid();
  const written = await kysely(em)
    .insertInto('mailToken')
    .values({
      id,
      ...mail,
      queuedAt: facts === null ? null : NOW,
      expiresAt: fromNow(`${readLifetimeHours(purpose)} hours`),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (written.numInsertedOrUpdatedRows !== 1n) return false;
  if (facts !== null) await sendToWorkflow(em, mailWorkflow(id), {});
  return true;
}

/** Queues a mail that was gathered for. */
export async function queueGathered(
  em: EntityManager,
  { id, facts }: { id: string; facts: MoneyFacts },
): Promise<void> {
  await kysely(em)
    .updateTable('mailToken')
    .set({ facts, queuedAt: NOW })
    .where('id', '=', id)
    .execute();
  await sendToWorkflow(em, mailWorkflow(id), {});
}

async function queue(em: EntityManager, mail: MailRow & { hours?: number }): Promise<void> {
  const id = await insertRow(em, { ...mail, isQueued: true });
  await sendToWorkflow(em, mailWorkflow(id), {});
}

async function insertRow(
  em: EntityManager,
  mail: MailRow & { isQueued: boolean; hours?: number },
): Promise<string> {
  const { purpose, address, personId, invitationId, purchaseId, paymentId, device } = mail;
  const { isQueued, hours = readLifetimeHours(purpose) } = mail;
  const id = newUuid();
  await kysely(em)
    .insertInto('mailToken')
    .values({
      id,
      purpose,
      address,
      personId,
      invitationId,
      purchaseId,
      paymentId,
      device,
      queuedAt: isQueued ? NOW : null,
      expiresAt: fromNow(`${hours} hours`),
    })
    .execute();
  return id;
}

export type MailToSend = { address: string; state: 'due' | 'sent' | 'expired' } & (
  | { purpose: PersonalPurpose; name: string; device: string | null; createdAt: string }
  | { purpose: 'team_invitation'; invitationId: string }
  | { purpose: 'purchase_receipt'; purchaseId: string; name: string }
  | { purpose: 'charge_receipt'; paymentId: string; name: string }
  | { purpose: MoneyPurpose; name: string; facts: MoneyFacts }
);

/** Finds no mail whose person or invitation is gone. */
export async function findMail(em: EntityManager, id: string): Promise<MailToSend | null> {
  const found = await kysely(em)
    .selectFrom('mailToken as mail')
    .leftJoin('person', (join) =>
      join.onRef('person.id', '=', 'mail.personId').on('person.deletedAt', 'is', null),
    )
    .select(['mail.purpose', 'mail.invitationId', 'mail.purchaseId', 'mail.paymentId'])
    .select([
      'mail.address',
      'person.handle',
      'person.displayName',
      'mail.device',
      'mail.createdAt',
      'mail.facts',
    ])
    .select(({ eb, or }) =>
      eb
        .case()
        .when('mail.sentAt', 'is not', null)
        .then('sent' as const)
        .when(or([eb('mail.usedAt', 'is not', null), eb('mail.expiresAt', '<=', NOW)]))
        .then('expired' as const)
        .else('due' as const)
        .end()
        .as('state'),
    )
    .where('mail.id', '=', id)
    .where(({ or, eb }) =>
      or([eb('person.id', 'is not', null), eb('mail.invitationId', 'is not', null)]),
    )
    .executeTakeFirst();
  if (!found) return null;
  const { facts, handle, displayName, ...rest } = found;
  const name = handle && displayName && nameForMail({ handle, displayName });
  const mail = { ...rest, name };
  // Only a mail about money has them.
  if (facts !== null) return { ...mail, facts } as MailToSend;
  return { ...mail, createdAt: toMinute(found.createdAt) } as MailToSend;
}

/** The mail was sent or given up. */
export async function closeMail(
  em: EntityManager,
  { id, isSent }: { id: string; isSent: boolean },
): Promise<void> {
  await kysely(em)
    .updateTable('mailToken')
    .set(({ fn }) => ({
      queuedAt: null,
      ...(isSent ? { sentAt: fn.coalesce('sentAt', NOW) } : {}),
    }))
    .where('id', '=', id)
    .execute();
}

/** Removes one batch of mails whose link ended long ago, and returns their number. */
export async function removeOldMail(em: EntityManager): Promise<number> {
  const removed = await kysely(em)
    .deleteFrom('mailToken')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('mailToken').select('id').where('expiresAt', '<=', ago('7 days')).limit(5_000),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}

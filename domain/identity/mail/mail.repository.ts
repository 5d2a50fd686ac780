import { mailActor } from '../../outbox/actors.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newUuid } from '../../shared/ids.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import {
  hoursOf,
  type LinkPurpose,
  type MailPurpose,
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

/** The address may have no account: the text comes from the invitation's row. */
export async function queueInvitationMail(
  em: EntityManager,
  mail: { invitationId: string; address: string },
): Promise<void> {
  await queue(em, { purpose: 'team_invitation', ...mail });
}

/** To a buyer: the text comes from the receipt's row. */
export async function queueReceiptMail(
  em: EntityManager,
  mail: ({ purchaseId: string } | { paymentId: string }) & { personId: string; address: string },
): Promise<void> {
  const purpose = 'purchaseId' in mail ? 'purchase_receipt' : 'charge_receipt';
  await queue(em, { purpose, ...mail });
}

async function queue(em: EntityManager, mail: MailRow & { hours?: number }): Promise<void> {
  const id = await insertRow(em, { ...mail, isQueued: true });
  await sendToActor(em, mailActor(id), {});
}

async function insertRow(
  em: EntityManager,
  mail: MailRow & { isQueued: boolean; hours?: number },
): Promise<string> {
  const { purpose, address, personId = null, invitationId = null, isQueued } = mail;
  const { purchaseId = null, paymentId = null, device = null, hours = hoursOf(purpose) } = mail;
  const id = newUuid();
  const about = [personId, invitationId, purchaseId, paymentId];
  await rows(
    em,
    `insert into mail_token (id, purpose, person_id, invitation_id, purchase_id, payment_id, address,
       device, queued_at, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, case when ? then gatehouse_now() end,
       gatehouse_now() + ? * interval '1 hour')`,
    [id, purpose, ...about, address, device, isQueued, hours],
  );
  return id;
}

export type MailToSend = { address: string; state: 'due' | 'sent' | 'expired' } & (
  | { purpose: PersonalPurpose; handle: string; device: string | null; createdAt: string }
  | { purpose: 'team_invitation'; invitationId: string }
  | { purpose: 'purchase_receipt'; purchaseId: string; handle: string }
  | { purpose: 'charge_receipt'; paymentId: string; handle: string }
);

/** Null when the person or the invitation is gone. */
export async function findMail(em: EntityManager, id: string): Promise<MailToSend | null> {
  const [mail] = await rows<MailToSend>(
    em,
    `select m.purpose, m.invitation_id as "invitationId", m.purchase_id as "purchaseId",
       m.payment_id as "paymentId", m.address, p.handle, m.device,
       to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as "createdAt",
       case when m.sent_at is not null then 'sent'
         when m.used_at is not null or m.expires_at <= gatehouse_now() then 'expired'
         else 'due' end as state
     from mail_token m left join person p on p.id = m.person_id and p.deleted_at is null
     where m.id = ? and (p.id is not null or m.invitation_id is not null)`,
    [id],
  );
  return mail ?? null;
}

/** The mail was sent or given up. */
export async function settleMail(
  em: EntityManager,
  { id, isSent }: { id: string; isSent: boolean },
): Promise<void> {
  await rows(
    em,
    `update mail_token set queued_at = null,
       sent_at = case when ? then coalesce(sent_at, gatehouse_now()) else sent_at end
     where id = ?`,
    [isSent, id],
  );
}

export type MailLink = { purpose: LinkPurpose; personId: string; address: string; handle: string };

/** The effect of a link, for the page that asks before it acts. */
export async function findMailLink(
  em: EntityManager,
  { id, purposes }: { id: string; purposes: readonly LinkPurpose[] },
): Promise<MailLink | null> {
  const [link] = await rows<MailLink>(
    em,
    `select m.purpose, m.person_id as "personId", m.address, p.handle
     from mail_token m join person p on p.id = m.person_id and p.deleted_at is null
     where m.id = ? and m.purpose = any(?::text[])
       and m.used_at is null and m.expires_at > gatehouse_now()`,
    [id, toArrayParameter(purposes)],
  );
  return link ?? null;
}

/** Uses the link up: of two requests at once, one gets it. */
export async function consumeMailLink(
  em: EntityManager,
  { id, purposes }: { id: string; purposes: readonly LinkPurpose[] },
): Promise<Omit<MailLink, 'handle'> | null> {
  const [link] = await rows<MailLink>(
    em,
    `update mail_token set used_at = gatehouse_now()
     where id = ? and purpose = any(?::text[])
       and used_at is null and expires_at > gatehouse_now()
     returning purpose, person_id as "personId", address`,
    [id, toArrayParameter(purposes)],
  );
  return link ?? null;
}

/** Ends links that a change has overtaken. */
export async function revokeMailLinks(
  em: EntityManager,
  { personId, purpose }: { personId: string; purpose: LinkPurpose },
): Promise<void> {
  await rows(
    em,
    `update mail_token set used_at = gatehouse_now()
     where person_id = ? and purpose = ? and used_at is null`,
    [personId, purpose],
  );
}

/** Ends every pending change of address. The caller holds the person's row. */
export async function endAddressChanges(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `update mail_token m set used_at = gatehouse_now()
     from person p
     where p.id = ? and m.person_id = p.id and m.used_at is null
       and m.expires_at > gatehouse_now()
       and (m.purpose = 'change_email'
         or (m.purpose = 'verify_email' and lower(m.address) <> lower(p.email)))`,
    [personId],
  );
}

/**
 * True when the account is still at the address of the mail. The pending change is not read: it
 * does not exist when the new address belongs to another person, and the requester must not learn
 * that.
 */
export async function isStillAt(
  em: EntityManager,
  { personId, address }: { personId: string; address: string },
): Promise<boolean> {
  const same = 'select 1 from person where id = ? and lower(email) = lower(?)';
  return (await rows(em, same, [personId, address])).length > 0;
}

/** Removes one batch of mails whose link ended long ago, and returns their number. */
export async function removeOldMail(em: EntityManager): Promise<number> {
  const removed = await rows(
    em,
    `delete from mail_token where id in (
       select id from mail_token where expires_at <= gatehouse_now() - interval '7 days' limit 5000)
     returning 1`,
  );
  return removed.length;
}

import { defineEntity, p } from '@mikro-orm/core';
import { Person } from '../person.entity.ts';
import type { MailPurpose } from './mail-purpose.ts';

/**
 * A mail to a person or to an invited address, and the right to use its link once. The link's
 * token is derived from the id when the mail is sent, and stored nowhere. A mail without an
 * address is never sent: a request for an address without an account writes the same rows as for
 * any other.
 * Grows with mails; kept until 7 days after its link ends; removed by `removeOldMail`.
 */
export const MailToken = defineEntity({
  name: 'MailToken',
  properties: {
    id: p.uuid().primary(),
    purpose: p.text().$type<MailPurpose>(),
    personId: () => p.manyToOne(Person).mapToPk().joinColumn('person_id').strictNullable(),
    invitationId: p.uuid().strictNullable(),
    purchaseId: p.text().strictNullable(),
    paymentId: p.text().strictNullable(),
    /** What a mail about money is about: it is mailed once. */
    subject: p.text().strictNullable(),
    /** What its text says; none while the mails of a day are still gathered. */
    facts: p.json<Record<string, string>>().strictNullable(),
    address: p.text(),
    /** The device of a sign-in. */
    device: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
    /** The instant at which the mail was queued; null when it was sent or given up. */
    queuedAt: p.datetime(3).strictNullable(),
    sentAt: p.datetime(3).strictNullable(),
    usedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: 'mail_token_digest',
      properties: ['subject'],
      where: `purpose = 'sales_of_day' and facts is null`,
    },
    { name: 'mail_token_expiry', properties: ['expiresAt'] },
    {
      name: 'mail_token_invitation',
      properties: ['invitationId'],
      where: `invitation_id is not null`,
    },
    { name: 'mail_token_person', properties: ['personId'] },
    { name: 'mail_token_queued', properties: ['queuedAt'], where: `queued_at is not null` },
  ],
  uniques: [
    { name: 'mail_token_payment', properties: ['paymentId'], where: `payment_id is not null` },
    { name: 'mail_token_purchase', properties: ['purchaseId'], where: `purchase_id is not null` },
    {
      name: 'mail_token_subject',
      properties: ['personId', 'purpose', 'subject'],
      where: `subject is not null`,
    },
  ],
  checks: [
    { name: 'mail_token_purpose_check', expression: `purpose ~ '^[a-z]+(_[a-z]+)*$'` },
    {
      name: 'mail_token_one_recipient',
      expression: `num_nonnulls(person_id, invitation_id) = 1 or address = '' and sent_at is null`,
    },
    {
      name: 'mail_token_invitation',
      expression: `(purpose = 'team_invitation') = (invitation_id is not null)`,
    },
    {
      name: 'mail_token_receipt',
      expression: `(purpose = 'purchase_receipt') = (purchase_id is not null)`,
    },
    {
      name: 'mail_token_charge_receipt',
      expression: `(purpose = 'charge_receipt') = (payment_id is not null)`,
    },
  ],
});

import { defineEntity, p } from '@mikro-orm/core';
import type { MailPurpose } from './mail-purpose.ts';

/** A mail to a person or to an invited address, and the right to use its link once. */
export const MailToken = defineEntity({
  name: 'MailToken',
  properties: {
    id: p.uuid().primary(),
    purpose: p.text().$type<MailPurpose>(),
    personId: p.uuid().strictNullable(),
    invitationId: p.uuid().strictNullable(),
    purchaseId: p.text().strictNullable(),
    paymentId: p.text().strictNullable(),
    address: p.text(),
    /** The device of a sign-in. */
    device: p.text().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
    expiresAt: p.datetime(3),
    /** When the mail was queued; null when it was sent or given up. */
    queuedAt: p.datetime(3).strictNullable(),
    sentAt: p.datetime(3).strictNullable(),
    usedAt: p.datetime(3).strictNullable(),
  },
});

import { queueMail } from '../../identity/mail/mail.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { failureDueAt, reminderDueAt, type Awaiting } from './subscription-due.ts';

type Told = Pick<Awaiting, 'failureNotifiedAt' | 'remindedOf'>;

/** Queues the mails that are due, each once, and returns the new state of the mails. */
export async function tellSubscriber(
  em: EntityManager,
  personId: string,
  { subscription, at }: { subscription: Awaiting; at: Date },
): Promise<Told> {
  const { status, periodEnd, graceEndsAt } = subscription;
  let { failureNotifiedAt, remindedOf } = subscription;
  const failureAt = failureDueAt(subscription);
  // A subscriber who loses access is mailed at once.
  const isLost = status === 'ended' && graceEndsAt !== null;
  if (failureAt && (isLost || (status === 'past_due' && failureAt <= at))) {
    await mail(em, personId, 'renewal_failed');
    failureNotifiedAt = at;
  }
  if (status === 'active') failureNotifiedAt = null;
  const reminderAt = reminderDueAt(subscription);
  if (reminderAt && reminderAt <= at && periodEnd && periodEnd > at) {
    await mail(em, personId, 'renewal_ahead');
    remindedOf = periodEnd;
  }
  return { failureNotifiedAt, remindedOf };
}

async function mail(
  em: EntityManager,
  personId: string,
  purpose: 'renewal_failed' | 'renewal_ahead',
): Promise<void> {
  const [person] = await rows<{ address: string }>(
    em,
    'select email as address from person where id = ? and deleted_at is null',
    [personId],
  );
  if (person) await queueMail(em, { purpose, personId, ...person });
}

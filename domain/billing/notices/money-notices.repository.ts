// What sellers and buyers are mailed about their money. Each belongs in the transaction of the change.
import { describePayoutFailure, type PayoutReading } from '../../catalog/payouts/payout-failure.ts';
import { queueMoneyMail } from '../../identity/mail/mail.repository.ts';
import { notify } from '../../notifications/notification.repository.ts';
import {
  findOwnersOf,
  findSellers,
  mailOwners,
} from '../../notifications/recipients.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { toMinute, writeDay } from '../../shared/instant.ts';
import { formatMoney } from '../../shared/money.ts';

type Money = { amountMinor: number; currency: string };

/** A refund that has succeeded: the seller and the buyer, of Member the buyer alone. */
export async function notifyOfRefund(
  em: EntityManager,
  { refundId, paymentId, ...money }: { refundId: string; paymentId: string } & Money,
): Promise<void> {
  const paid = await findPaid(em, paymentId);
  const amount = formatMoney(money.amountMinor, money.currency);
  const facts = { product: paid.product ?? 'Member', amount, purchase: paid.purchase ?? paymentId };
  await mailBuyer(em, { purpose: 'refund_received', ...paid, subject: refundId, facts });
  await mailSellers(em, { purpose: 'refund_made', paid, subject: refundId, facts });
}

type OpenedDispute = {
  disputeId: string;
  paymentId: string;
  reason: string;
  dueAt: Date | null;
} & Money;

/** A dispute that the bank has just opened; the platform answers for those of Member. */
export async function notifyOfDispute(
  em: EntityManager,
  { disputeId, paymentId, reason, dueAt, ...money }: OpenedDispute,
): Promise<void> {
  const paid = await findPaid(em, paymentId);
  const facts = {
    amount: formatMoney(money.amountMinor, money.currency),
    reason: reason.replaceAll('_', ' '),
    ...(dueAt ? { due: toMinute(dueAt) } : {}),
  };
  await mailSellers(em, { purpose: 'dispute_opened', paid, subject: disputeId, facts });
}

/** The processor stopped charges for an account; moving back and forth mails each time it stops. */
export async function notifyOfPayouts(
  em: EntityManager,
  {
    account,
    couldCharge,
    canCharge,
  }: { account: string; couldCharge: boolean; canCharge: boolean },
): Promise<void> {
  if (!couldCharge || canCharge) return;
  const { personId, teamId } = await kysely(em)
    .selectFrom('payoutAccount')
    .select(['personId', 'teamId'])
    .where('processorAccount', '=', account)
    .executeTakeFirstOrThrow();
  await mailOwners(em, 'payouts_stopped', teamId === null ? { personId: personId! } : { teamId });
}

/** The owners, once a payout: the bank sent the money back, and it stays with the processor. */
export async function notifyOfFailedPayout(
  em: EntityManager,
  { owner, payout }: { owner: { teamId: string } | { personId: string }; payout: PayoutReading },
): Promise<void> {
  const { id: subject, amountMinor, currency, failureCode, createdAt } = payout;
  const facts = {
    amount: formatMoney(amountMinor, currency),
    day: writeDay(createdAt),
    ...describePayoutFailure(failureCode),
  };
  for (const person of await findOwnersOf(em, owner)) {
    await queueMoneyMail(em, { purpose: 'payout_failed', subject, facts, ...person });
  }
}

/** A subscription or a membership, and the sequence number of the reading that changed it. */
type SubscriberChange = { id: string; personId: string; sequence: number };

/**
 * The subscriber, about a cancellation. During grace a failed charge may still be collected: the
 * mail then names the end of grace, because the cancellation is final.
 */
export async function notifyOfCancellation(
  em: EntityManager,
  { graceEndsAt, end, ...changed }: SubscriberChange & Record<'graceEndsAt' | 'end', Date | null>,
): Promise<void> {
  const facts = graceEndsAt ? { graceEnd: toMinute(graceEndsAt) } : describeEnd(end);
  await mailSubscriber(em, { purpose: 'subscription_cancelled', changed, facts });
}

/** The subscriber, about a cancellation that was taken back. */
export async function notifyOfResumption(
  em: EntityManager,
  { end, ...changed }: SubscriberChange & { end: Date | null },
): Promise<void> {
  await mailSubscriber(em, { purpose: 'subscription_resumed', changed, facts: describeEnd(end) });
}

function describeEnd(end: Date | null): Record<string, string> {
  return end ? { end: toMinute(end) } : {};
}

type SubscriberMail = Pick<BuyerMail, 'purpose' | 'facts'> & { changed: SubscriberChange };

async function mailSubscriber(em: EntityManager, { purpose, changed, facts }: SubscriberMail) {
  const { id, personId, sequence } = changed;
  const named = await kysely(em)
    .selectFrom('subscription')
    .innerJoin('product', 'product.id', 'subscription.productId')
    .select('product.name')
    .where('subscription.id', '=', id)
    .executeTakeFirst();
  const subject = `${id}:${sequence}`;
  const product = named?.name ?? 'Member';
  await mailBuyer(em, { purpose, personId, subject, facts: { product, ...facts } });
}

type PaymentFacts = Awaited<ReturnType<typeof findPaid>>;

async function findPaid(em: EntityManager, paymentId: string) {
  return (
    kysely(em)
      .selectFrom('payment')
      .leftJoin('purchase', 'purchase.id', 'payment.purchaseId')
      .leftJoin('product', 'product.id', 'purchase.productId')
      .leftJoin('productSlug as slug', (join) =>
        join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
      )
      .leftJoin('receipt', 'receipt.purchaseId', 'purchase.id')
      .leftJoin('membership', 'membership.id', 'payment.membershipId')
      .select(({ fn }) =>
        fn
          .coalesce('purchase.personId', 'membership.personId')
          .$castTo<string | null>()
          .as('personId'),
      )
      .select(['purchase.productId', 'product.name as product', 'slug.slug'])
      .select('purchase.id as purchase')
      // Money that was never a sale goes back without the seller.
      .select(({ eb }) => eb('receipt.purchaseId', 'is not', null).$castTo<boolean>().as('isSold'))
      .where('payment.id', '=', paymentId)
      .executeTakeFirstOrThrow()
  );
}

type BuyerMail = {
  purpose: 'refund_received' | 'subscription_cancelled' | 'subscription_resumed';
  personId: string | null;
  subject: string;
  facts: Record<string, string>;
};

async function mailBuyer(em: EntityManager, mail: BuyerMail): Promise<void> {
  const { purpose, personId, subject, facts } = mail;
  const person = await kysely(em)
    .selectFrom('person')
    .select(['id as personId', 'email as address'])
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (person) await queueMoneyMail(em, { purpose, subject, facts, ...person });
}

type SellerMail = {
  purpose: 'refund_made' | 'dispute_opened';
  paid: PaymentFacts;
  subject: string;
  facts: Record<string, string>;
};

async function mailSellers(em: EntityManager, { purpose, paid, subject, ...mail }: SellerMail) {
  const { productId, product, slug, purchase, isSold } = paid;
  if (!isSold || productId === null || product === null || purchase === null) return;
  const facts = { ...mail.facts, product, purchase, ...(slug ? { slug } : {}) };
  const { audience, people } = await findSellers(em, productId);
  await notify(em, { kind: purpose, productId, audience, data: { ...facts } });
  for (const person of people) await queueMoneyMail(em, { purpose, subject, facts, ...person });
}

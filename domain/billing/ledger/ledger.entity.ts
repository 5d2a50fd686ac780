import { defineEntity, p } from '@mikro-orm/core';
import { Dispute } from '../disputes/dispute.entity.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { Product } from '../../catalog/product.entity.ts';
import { Refund } from '../refunds/refund.entity.ts';
import { ACCOUNTS, ENTRY_KINDS } from './booking.ts';

/**
 * One side of a movement of money; append only. The entries of a booking sum to zero.
 * Grows with movements of money; kept for good.
 */
export const LedgerEntry = defineEntity({
  name: 'LedgerEntry',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    /** A payment that cleared, or a refund that succeeded or was reversed: it is booked once. */
    booking: p.text(),
    account: p.enum(ACCOUNTS),
    kind: p.enum(ENTRY_KINDS),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    /** Is null for money of the pool. */
    paymentId: () => p.manyToOne(Payment).mapToPk().joinColumn('payment_id').strictNullable(),
    refundId: () => p.manyToOne(Refund).mapToPk().joinColumn('refund_id').strictNullable(),
    disputeId: () => p.manyToOne(Dispute).mapToPk().joinColumn('dispute_id').strictNullable(),
    productId: () => p.manyToOne(Product).mapToPk().joinColumn('product_id').strictNullable(),
    /** The id of a `pool_period`; null for money of a payment. */
    poolPeriodId: p.text().strictNullable(),
    /** The team or lone builder that the pool owes, or has paid. */
    poolOwnerId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
  indexes: [
    { name: 'ledger_entry_dispute', properties: ['disputeId'], where: `dispute_id is not null` },
    { name: 'ledger_entry_payment', properties: ['paymentId'] },
    // What changed of Member's charges since a month was frozen.
    {
      name: 'ledger_entry_member_money',
      properties: ['createdAt', 'paymentId'],
      where: `account = 'platform' and kind in ('gross', 'refund', 'reversal', 'chargeback')`,
    },
    {
      name: 'ledger_entry_pool_owner',
      properties: ['poolOwnerId'],
      where: `pool_owner_id is not null`,
    },
    {
      name: 'ledger_entry_statement',
      properties: ['productId', 'createdAt', 'id'],
      include: ['currency', 'kind', 'amountMinor'],
      where: `account = 'seller'`,
    },
  ],
  uniques: [
    {
      name: 'ledger_entry_booking_account_kind_unique',
      properties: ['booking', 'account', 'kind'],
    },
  ],
  checks: [
    { name: 'ledger_entry_amount_minor_check', expression: `amount_minor <> 0` },
    { name: 'ledger_entry_about', expression: `num_nonnulls(payment_id, pool_period_id) = 1` },
  ],
});

/**
 * The result of the nightly check of the ledger.
 * Grows with nights; kept for good.
 */
export const LedgerCheck = defineEntity({
  name: 'LedgerCheck',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    at: p.datetime(3).defaultRaw('gatehouse_now()'),
    unbalanced: p.json<Record<string, string>>(),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { ACCOUNTS, ENTRY_KINDS } from './booking.ts';

/** One side of a movement of money; append only. The entries of a booking sum to zero. */
export const LedgerEntry = defineEntity({
  name: 'LedgerEntry',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    booking: p.text(),
    account: p.enum(ACCOUNTS),
    kind: p.enum(ENTRY_KINDS),
    amountMinor: p.bigint('number'),
    currency: p.character().length(3),
    paymentId: p.text(),
    refundId: p.text().strictNullable(),
    disputeId: p.text().strictNullable(),
    productId: p.uuid().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
  },
});

/** The result of the nightly check of the ledger. */
export const LedgerCheck = defineEntity({
  name: 'LedgerCheck',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    at: p.datetime(3).defaultRaw('gatehouse_now()'),
    unbalanced: p.json<Record<string, string>>(),
  },
});

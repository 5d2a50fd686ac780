import { p } from '@mikro-orm/core';

/** The columns of whatever the processor renews: a product's subscription, a membership. */
export const renewalColumns = () => ({
  processorId: p.text().strictNullable().unique(),
  /** The last paid period. */
  periodStart: p.datetime(3).strictNullable(),
  periodEnd: p.datetime(3).strictNullable(),
  pastDueAt: p.datetime(3).strictNullable(),
  graceEndsAt: p.datetime(3).strictNullable(),
  cancelAt: p.datetime(3).strictNullable(),
  endedAt: p.datetime(3).strictNullable(),
  /** What its person has asked for and the processor has yet to confirm; each request has a number. */
  requestedChange: p.enum(['cancel', 'resume'] as const).strictNullable(),
  changeNumber: p.integer().default(0),
  /** The last Updates of its workflow: one that comes again, after a reset, changes nothing. */
  seenUpdates: p.array().defaultRaw(`'{}'`),
  /** The renewal ended here, and the processor has yet to confirm that nothing is charged. */
  isClosing: p.boolean().default(false),
  failureNotifiedAt: p.datetime(3).strictNullable(),
  remindedOf: p.datetime(3).strictNullable(),
  /** The last sequence taken, and the newest one whose reading of the processor was applied. */
  sequence: p.bigint('number').default('0'),
  appliedSequence: p.bigint('number').default('0'),
  /**
   * The instant at which reconciliation asks the processor by itself; null when there is nothing
   * left to ask.
   */
  askAgainAt: p.datetime(3).strictNullable(),
  createdAt: p.datetime(3).defaultRaw('gatehouse_now()'),
});

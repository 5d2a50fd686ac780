import { defineEntity, p } from '@mikro-orm/core';

/**
 * The requests of a credential in a minute of the database's clock. Minutes take turns in three parts
 * of the table, so that a past one is emptied at once.
 * Grows with callers in a minute; kept for minutes; emptied by `emptyRateWindows`.
 */
export const RateWindow = defineEntity({
  name: 'RateWindow',
  properties: {
    bucket: p.text().primary(),
    minute: p.bigint('number').primary(),
    n: p.integer(),
    /** The part of the table: the minute modulo 3. */
    slot: p.smallint().primary(),
  },
});

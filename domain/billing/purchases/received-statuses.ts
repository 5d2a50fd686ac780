/** The statuses of a payment whose money arrived, returned or not. */
export const RECEIVED_STATUSES = ['succeeded', 'partially_refunded', 'refunded'] as const;

/** The same as SQL. */
export const RECEIVED = `('succeeded', 'partially_refunded', 'refunded')`;

/** The statuses of a payment whose money arrived, returned or not. */
export const RECEIVED_STATUSES = ['succeeded', 'partially_refunded', 'refunded'] as const;

/** SQL: the statuses of a payment whose money arrived, returned or not. */
export const RECEIVED = `('succeeded', 'partially_refunded', 'refunded')`;

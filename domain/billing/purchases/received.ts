/** In SQL: the statuses of a payment whose money has come, whatever of it went back. */
export const RECEIVED = `('succeeded', 'partially_refunded', 'refunded')`;

/**
 * What is counted of a product's day. Sales are booked charges, refunds all money that went back to
 * buyers; customers are people with announced access at the end of the day.
 */
export const FIGURE_KINDS = [
  'sales',
  'refunds',
  'customers',
  'checks_open',
  'checks_locked',
  'deliveries_accepted',
  'deliveries_retried',
  'deliveries_failing',
] as const;

export type FigureKind = (typeof FIGURE_KINDS)[number];

/** ISO 4217's code where no currency is meant. */
export const NO_CURRENCY = 'XXX';

/** The id under which the sums of all products stand. */
export const ALL_PRODUCTS = '00000000-0000-0000-0000-000000000000';

import { z } from 'zod';
import { flag, id, pageLimit, percent, transfer_data, url } from './parameters.ts';

export const subscriptionParameters = z.strictObject({
  cancel_at_period_end: flag.optional(),
  transfer_data,
  application_fee_percent: percent.optional(),
});

export const invoiceListParameters = z.strictObject({
  subscription: id,
  starting_after: id.optional(),
  limit: pageLimit,
  expand: z.strictObject({ 0: z.literal('data.payments') }).optional(),
});

export const portalParameters = z.strictObject({
  customer: id,
  return_url: url,
  flow_data: z.strictObject({
    type: z.literal('payment_method_update', { error: 'the simulator changes cards only' }),
  }),
});

import { z } from 'zod';
import { isKnownToProcessor, validateProcessorAmount } from '../../../clients/processor/amounts.ts';

// Stripe's own bounds: twelve digits (what a currency allows is looked at apart), 5,000 characters, 50 keys of metadata.
const integer = z
  .string()
  .regex(/^\d{1,12}$/, 'must be an integer of at most twelve digits')
  .transform(Number);
const amount = integer.refine((value) => value > 0, 'must be greater than zero');
const currency = z
  .string()
  .toLowerCase()
  .refine((code) => isKnownToProcessor(code.toUpperCase()), {
    message: 'is not a currency',
    abort: true, // what an amount of it may be is unknown
  });
const url = z.url({ protocol: /^https?$/, error: 'is not a URL' }).max(5_000);
const email = z.email({ error: 'is not an email address' }).max(512);
const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((given) => Object.keys(given).length <= 50, 'has too many keys')
  .default({});
const yes = z.literal('true');
const transfer_data = z.strictObject({ destination: z.string().min(1).max(255) }).optional();
const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,2})?$/, 'must have two decimals at most')
  .refine((given) => Number(given) <= 100, 'must not exceed 100');

export const sessionParameters = z
  .strictObject({
    mode: z.enum(['payment', 'subscription'], {
      error: 'the simulator knows payment and subscription only',
    }),
    line_items: z.strictObject({
      0: z.strictObject({
        quantity: z.literal('1', { error: 'the simulator sells one at a time' }),
        price_data: z.strictObject({
          currency,
          unit_amount: amount,
          product_data: z.strictObject({ name: z.string().min(1).max(5_000) }),
          recurring: z.strictObject({ interval: z.enum(['month', 'year']) }).optional(),
        }),
      }),
    }),
    client_reference_id: z.string().min(1).max(200).optional(),
    customer_email: email.optional(),
    adaptive_pricing: z.strictObject({ enabled: z.enum(['true', 'false']) }).optional(),
    metadata,
    payment_intent_data: z
      .strictObject({ metadata, transfer_data, application_fee_amount: integer.optional() })
      .optional(),
    subscription_data: z
      .strictObject({ metadata, transfer_data, application_fee_percent: percent.optional() })
      .optional(),
    success_url: url,
    cancel_url: url,
  })
  .refine((given) => (given.payment_intent_data?.application_fee_amount ?? 0) <= priceOf(given), {
    path: ['payment_intent_data', 'application_fee_amount'],
    message: 'must not exceed the total amount',
  })
  .refine((given) => isTaken(given), {
    path: ['line_items', '0', 'price_data', 'unit_amount'],
    message: 'must be an amount that the currency allows',
  })
  .refine((given) => (given.mode === 'subscription') === isRecurring(given), {
    path: ['line_items', '0', 'price_data', 'recurring'],
    message: 'belongs to the mode subscription, and only to it',
  })
  .refine((given) => given.mode === 'payment' || given.payment_intent_data === undefined, {
    path: ['payment_intent_data'],
    message: 'belongs to the mode payment',
  })
  .refine((given) => given.mode === 'subscription' || given.subscription_data === undefined, {
    path: ['subscription_data'],
    message: 'belongs to the mode subscription',
  });

export type SessionParameters = z.infer<typeof sessionParameters>;

export const accountParameters = z.strictObject({
  email,
  controller: z
    .strictObject({
      stripe_dashboard: z.strictObject({ type: z.enum(['express', 'full', 'none']) }),
      fees: z.strictObject({ payer: z.enum(['account', 'application']) }),
      losses: z.strictObject({ payments: z.enum(['application', 'stripe']) }),
    })
    .optional(),
  capabilities: z
    .strictObject({
      card_payments: z.strictObject({ requested: yes }).optional(),
      transfers: z.strictObject({ requested: yes }).optional(),
    })
    .optional(),
});

export const accountLinkParameters = z.strictObject({
  account: z.string().min(1).max(255),
  type: z.literal('account_onboarding', { error: 'the simulator knows account_onboarding only' }),
  refresh_url: url,
  return_url: url,
});

export type AccountLinkParameters = z.infer<typeof accountLinkParameters>;

const flag = z.enum(['true', 'false']).transform((given) => given === 'true');
const id = z.string().min(1).max(255);

const pageLimit = integer
  .refine((value) => value >= 1 && value <= 100, 'must be 1 to 100')
  .default(10);

export const refundParameters = z.strictObject({
  payment_intent: id,
  amount: amount.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata,
  reverse_transfer: flag.optional(),
  refund_application_fee: flag.optional(),
});

export type RefundParameters = z.infer<typeof refundParameters>;

export const refundListParameters = z.strictObject({
  payment_intent: id.optional(),
  starting_after: id.optional(),
  limit: pageLimit,
});

export type RefundListParameters = z.infer<typeof refundListParameters>;

const instant = z
  .string()
  .regex(/^\d{1,12}$/, 'must be seconds since 1970')
  .transform(Number);

export const disputeListParameters = refundListParameters.extend({
  created: z.strictObject({ gte: instant.optional(), lte: instant.optional() }).default({}),
});

export type DisputeListParameters = z.infer<typeof disputeListParameters>;

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

export type InvoiceListParameters = z.infer<typeof invoiceListParameters>;

export const portalParameters = z.strictObject({
  customer: id,
  return_url: url,
  flow_data: z.strictObject({
    type: z.literal('payment_method_update', { error: 'the simulator changes cards only' }),
  }),
});

export const transferParameters = z.strictObject({
  amount,
  currency,
  destination: id,
  transfer_group: id.optional(),
  metadata,
});

export type TransferParameters = z.infer<typeof transferParameters>;

export const transferListParameters = z.strictObject({
  transfer_group: id.optional(),
  destination: id.optional(),
  starting_after: id.optional(),
  limit: pageLimit,
});

export type TransferListParameters = z.infer<typeof transferListParameters>;

export const noParameters = z.strictObject({});

type Priced = {
  line_items: {
    0: { price_data: { unit_amount: number; currency: string; recurring?: object | undefined } };
  };
};

function isTaken(given: Priced): boolean {
  const { unit_amount: asked, currency: code } = given.line_items[0].price_data;
  return validateProcessorAmount(asked, code.toUpperCase()) === null;
}

function priceOf(given: Priced): number {
  return given.line_items[0].price_data.unit_amount;
}

function isRecurring(given: Priced): boolean {
  return given.line_items[0].price_data.recurring !== undefined;
}

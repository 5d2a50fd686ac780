import { loadStripe } from '../../clients/processor/stripe.ts';
import { seconds } from './unix-time.ts';

export type EventType =
  | 'account.updated'
  | 'payout.paid'
  | 'payout.failed'
  | 'checkout.session.completed'
  | 'checkout.session.expired'
  | 'checkout.session.async_payment_succeeded'
  | 'checkout.session.async_payment_failed'
  | 'payment_intent.payment_failed'
  | 'payment_intent.requires_action'
  | 'charge.dispute.created'
  | 'charge.dispute.updated'
  | 'charge.dispute.closed'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'customer.subscription.deleted'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.failed';

export function presentEvent(event: {
  id: string;
  type: EventType;
  at: Date;
  object: object;
  account?: string | undefined;
}) {
  return {
    ...(event.account === undefined ? {} : { account: event.account }),
    id: event.id,
    object: 'event' as const,
    api_version: loadStripe().API_VERSION,
    created: seconds(event.at),
    data: { object: event.object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: event.type,
  };
}

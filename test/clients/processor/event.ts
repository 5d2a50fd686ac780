import test from 'ava';
import { readSignedEvent } from '../../../clients/processor/event.ts';
import { hmacSha256Hex } from '../../../domain/shared/secrets.ts';
import {
  isHandledType,
  SUBSCRIPTION_EVENTS,
} from '../../../domain/billing/processor-inbox/event-type.ts';

const secret = 'whsec_events';

/** What is read of a signed event about the object. */
function hear(type: string, object: object) {
  const event = { id: 'evt_1', object: 'event', type, livemode: false, data: { object } };
  const body = Buffer.from(JSON.stringify(event));
  const at = Math.floor(Date.now() / 1_000);
  const signed = hmacSha256Hex(secret, Buffer.from(`${at}.${body.toString()}`));
  return readSignedEvent(body, { signature: `t=${at},v1=${signed}`, secret });
}

const details = { subscription: 'sub_1', metadata: { purchase_id: 'pay_1' } };

test('an invoice names its subscription and, in the words of that, its purchase', (t) => {
  const object = {
    object: 'invoice',
    id: 'in_1',
    metadata: {},
    parent: { type: 'subscription_details', subscription_details: details },
  };
  for (const type of ['invoice.paid', 'invoice.payment_failed']) {
    t.like(hear(type, object), { type, subscriptionId: 'sub_1', purchaseId: 'pay_1' });
  }
});

test('a subscription is named by itself', (t) => {
  const object = { object: 'subscription', id: 'sub_1', metadata: { purchase_id: 'pay_1' } };
  t.like(hear('customer.subscription.updated', object), {
    subscriptionId: 'sub_1',
    purchaseId: 'pay_1',
  });
});

test('the checkout of a subscription, and what is about something else, names none', (t) => {
  const others = [
    { object: 'checkout.session', id: 'cs_1', subscription: 'sub_1' },
    { object: 'invoice', id: 'in_1', parent: null },
    {
      object: 'invoice',
      id: 'in_1',
      parent: { type: 'quote_details', subscription_details: null },
    },
    { object: 'invoice', id: 'in_1', parent: 'in_0' },
    { object: 'payment_intent', id: 'pi_1' },
    { object: 'subscription', id: { nested: true } },
  ];
  for (const object of others) {
    t.like(hear('x', object), { subscriptionId: null, purchaseId: null }, JSON.stringify(object));
  }
});

test('all that a processor says about subscriptions is followed', (t) => {
  t.true(SUBSCRIPTION_EVENTS.every((type) => isHandledType(type)));
  t.true(SUBSCRIPTION_EVENTS.includes('customer.subscription.deleted'));
});

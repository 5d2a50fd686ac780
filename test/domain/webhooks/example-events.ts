import test from 'ava';
import { exampleOf } from '../../../domain/webhooks/example-events.ts';
import { SUBSCRIBABLE } from '../../../domain/webhooks/events.schema.ts';

const productId = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
const at = new Date('2026-11-26T10:00:00.000Z');

for (const { name, data } of SUBSCRIBABLE) {
  test(`the example of ${name} has the data of the event, and no more`, (t) => {
    const example = exampleOf(name, { productId, at });
    t.deepEqual(data.strict().parse(example), example);
    t.is(example.product_id, productId);
  });
}

test('examples agree with when their event is sent', (t) => {
  const of = (name: 'entitlement.created' | 'entitlement.canceled' | 'entitlement.expired') =>
    exampleOf(name, { productId, at });
  t.like(of('entitlement.created'), { active: true, ends_at: null });
  t.like(of('entitlement.canceled'), { active: true, ends_at: '2026-12-26T10:00:00.000Z' });
  t.like(of('entitlement.expired'), { active: false, ends_at: at.toISOString() });
});

import test from 'ava';
import { createEndpointThrottle } from '../../../domain/webhooks/deliveries/endpoint-throttle.ts';

test('retries that find an endpoint busy come back one after the other, at its pace', (t) => {
  const throttle = createEndpointThrottle(() => 0);
  const places = [1, 2, 3].map(() => throttle.reserveDelayMs('a'));
  t.deepEqual(places, [1_000, 1_020, 1_040]);
  throttle.note('b', 10_000);
  t.deepEqual(throttle.slowEndpointIds(), ['b']);
  t.deepEqual([throttle.reserveDelayMs('b'), throttle.reserveDelayMs('b')], [5_000, 10_000]);
});

test('no wait is longer than five minutes, and the end of a long queue is spread', (t) => {
  const throttle = createEndpointThrottle(() => 0);
  throttle.note('a', 10_000);
  const places = Array.from({ length: 500 }, () => throttle.reserveDelayMs('a'));
  t.true(places.every((ms) => ms >= 1_000 && ms <= 300_000));
  t.true(new Set(places.slice(-100)).size > 50);
});

test('an endpoint that answers quickly again is slow no longer', (t) => {
  const throttle = createEndpointThrottle();
  throttle.note('a', 4_000);
  throttle.note('a', 10);
  t.deepEqual(throttle.slowEndpointIds(), []);
});

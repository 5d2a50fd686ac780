import test from 'ava';
import { createEndpointPace } from '../../activities/webhooks/endpoint-pace.ts';

test('retries that find an endpoint busy come back one after the other, at its pace', (t) => {
  const pace = createEndpointPace(() => 0);
  const places = [1, 2, 3].map(() => pace.bookMs('a'));
  t.deepEqual(places, [1_000, 1_020, 1_040]);
  pace.note('b', 10_000);
  t.deepEqual(pace.slowEndpointIds(), ['b']);
  t.deepEqual([pace.bookMs('b'), pace.bookMs('b')], [5_000, 10_000]);
});

test('no wait is longer than five minutes, and the end of a long queue is spread', (t) => {
  const pace = createEndpointPace(() => 0);
  pace.note('a', 10_000);
  const places = Array.from({ length: 500 }, () => pace.bookMs('a'));
  t.true(places.every((ms) => ms >= 1_000 && ms <= 300_000));
  t.true(new Set(places.slice(-100)).size > 50);
});

test('an endpoint that answers quickly again is slow no longer', (t) => {
  const pace = createEndpointPace();
  pace.note('a', 4_000);
  pace.note('a', 10);
  t.deepEqual(pace.slowEndpointIds(), []);
});

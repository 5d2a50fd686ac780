import { makeEndpoints } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { inRounds } from '../measure/rounds.ts';
import { percentile } from '../measure/statistics.ts';
import { measureStream } from '../stream.ts';

const ENDPOINTS = 20;
const PER_S = 20;
const STREAM_MS = 10_000;
const WARMING_MS = 3_000;

/** The time from the commit of an event to its receiver. */
export const deliveryLatency: Measurement = {
  figures: [
    {
      id: 'P16',
      what: 'event committed to receiver hit, 20 events/s, p50 ms',
      bounds: { must: 8, stretch: 3, better: 'lower' },
    },
    {
      id: 'P16-P99',
      what: 'the same, p99 ms',
      bounds: { must: 30, stretch: 10, better: 'lower' },
    },
  ],
  measure: (stage) =>
    inRounds(stage, async () => {
      const [receiver] = await stage.servers.get('receiver');
      const { origin } = receiver!;
      const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: origin });
      await stage.servers.get('worker');
      const endpointOf = (n: number) => endpointIds[n % ENDPOINTS]!;
      const stream = { perS: PER_S, endpointOf, receiver: origin };
      await measureStream(stage, { ...stream, durationMs: WARMING_MS });
      const latencies = await measureStream(stage, { ...stream, durationMs: STREAM_MS });
      const times = latencies.map(({ ms }) => ms);
      return { P16: percentile(times, 50), 'P16-P99': percentile(times, 99) };
    }),
};

// The load generator: a process of its own, so that what it costs is not counted with what it measures.
import { Client, type Dispatcher } from 'undici';
import { percentile } from '../statistics.ts';
import type { Job, Load, Report, Request } from './job.ts';

const SHOWN_CHARACTERS = 300;

process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => {
  run(job)
    .then((load): Report => ({ load }))
    .catch((fault: unknown): Report => ({ fault: (fault as Error).message }))
    .then((report) => process.send?.(report));
});
process.send?.('ready');

/** As many requests at a time as there are connections; an answer other than 200 spoils the job. */
async function run(job: Job): Promise<Load> {
  const { origins, connections } = job;
  const clients = Array.from(
    { length: connections },
    (_, index) => new Client(origins[index % origins.length]!),
  );
  const latencies: number[] = [];
  const startedAt = performance.now();
  const next = takeInTurn(job, startedAt + job.durationMs);
  try {
    await Promise.all(clients.map((client) => drive(client, { job, next, latencies })));
    const seconds = (performance.now() - startedAt) / 1_000;
    const sorted = latencies.toSorted((one, two) => one - two);
    const [p50Ms, p99Ms] = [percentile(sorted, 50), percentile(sorted, 99)];
    return { count: sorted.length, seconds, p50Ms, p99Ms };
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

function takeInTurn({ requests, isOnce }: Job, deadline: number): () => Request | undefined {
  let taken = 0;
  return () => {
    if (performance.now() > deadline || (isOnce && taken === requests.length)) return undefined;
    taken += 1;
    return requests[(taken - 1) % requests.length];
  };
}

async function drive(
  client: Client,
  work: { job: Job; next: () => Request | undefined; latencies: number[] },
): Promise<void> {
  const { job } = work;
  for (let request = work.next(); request; request = work.next()) {
    const { method = job.method, query = '', headers, body = null } = request;
    const path = (request.path ?? job.path) + query;
    const sentAt = performance.now();
    await send(client, { method, path, headers: { ...job.headers, ...headers }, body });
    work.latencies.push(performance.now() - sentAt);
  }
}

function send(client: Client, request: Dispatcher.DispatchOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let failure = '';
    client.dispatch(request, {
      onRequestStart() {}, // marks the handler as one of undici's current kind
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseData(_controller, chunk) {
        if (status !== 200) failure += chunk.toString();
      },
      onResponseEnd() {
        if (status === 200) return resolve();
        const shown = failure.slice(0, SHOWN_CHARACTERS);
        return reject(new Error(`${request.path} answered ${status}: ${shown}`));
      },
      onResponseError: (_controller, fault) => reject(fault),
    });
  });
}

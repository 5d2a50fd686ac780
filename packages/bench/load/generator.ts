// A load generator: a process of its own, so that what it costs is not counted with what it measures.
import { Client, type Dispatcher } from 'undici';
import { answerQuestions } from '../servers/parts/child-server.ts';
import type { Done, Request, Share } from './job.ts';

const SHOWN_CHARACTERS = 300;

answerQuestions(run);

/**
 * Sends as many requests at a time as there are connections; an answer other than 200 spoils the
 * job.
 */
async function run(share: Share): Promise<Done> {
  const { origin, connections } = share;
  const clients = Array.from({ length: connections }, () => new Client(origin));
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const next = takeInTurn(share, startedAt + share.durationMs);
  try {
    await Promise.all(clients.map((client) => drive(client, { share, next, latenciesMs })));
    return { seconds: (performance.now() - startedAt) / 1_000, latenciesMs };
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

function takeInTurn({ requests, isOnce }: Share, deadline: number): () => Request | undefined {
  let taken = 0;
  return () => {
    if (performance.now() > deadline || (isOnce && taken === requests.length)) return undefined;
    taken += 1;
    return requests[(taken - 1) % requests.length];
  };
}

async function drive(
  client: Client,
  work: { share: Share; next: () => Request | undefined; latenciesMs: number[] },
): Promise<void> {
  const { share } = work;
  for (let request = work.next(); request; request = work.next()) {
    const { method = share.method, query = '', headers, body = null } = request;
    const path = (request.path ?? share.path) + query;
    const sentAt = performance.now();
    await send(client, { method, path, headers: { ...share.headers, ...headers }, body });
    work.latenciesMs.push(performance.now() - sentAt);
  }
}

/**
 * Uses undici's handlers of raw headers: those of its current kind make every header of an answer a
 * property.
 */
function send(client: Client, request: Dispatcher.DispatchOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let failure = '';
    client.dispatch(request, {
      onConnect() {},
      onHeaders(statusCode) {
        status = statusCode;
        return true;
      },
      onData(chunk) {
        if (status !== 200) failure += chunk.toString();
        return true;
      },
      onComplete() {
        if (status === 200) return resolve();
        const shown = failure.slice(0, SHOWN_CHARACTERS);
        return reject(new Error(`${request.path} answered ${status}: ${shown}`));
      },
      onError: reject,
    });
  });
}

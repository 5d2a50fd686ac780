// The receiver of a chaos run: some deliveries fail at their first attempt, all are remembered.
import { listen } from '../../platform/http-server.ts';

export type Hook = {
  url: string;
  /** How often each delivery came, by its id. */
  hits: Map<string, number>;
  close(): Promise<void>;
};

/** Every so-manyth delivery is answered 503 when it first comes; none for 0. */
export async function startHook(failEvery: number): Promise<Hook> {
  const hits = new Map<string, number>();
  const listener = await listen(
    async (request, response) => {
      const { id } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const earlier = hits.get(id) ?? 0;
      hits.set(id, earlier + 1);
      const isFailing = earlier === 0 && failEvery > 0 && hits.size % failEvery === 0;
      response.writeHead(isFailing ? 503 : 204).end();
    },
    { hosts: ['127.0.0.1'], port: 0 },
  );
  return {
    url: `http://127.0.0.1:${listener.port}`,
    hits,
    async close() {
      for (const server of listener.servers) server.closeAllConnections();
      await listener.close();
    },
  };
}

// The reference of deliveries: pooled undici that signs the same body and does nothing else.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { serve } from './parts/child-server.ts';

const IN_FLIGHT = 32;
const SECRET = 'whsec_of_the_reference_of_the_bench_0123456789abcdef';

process.on('disconnect', () => process.exit());

await serve((incoming, response) => {
  const { searchParams } = new URL(incoming.url ?? '', 'http://localhost');
  const asked = { url: searchParams.get('url')!, body: searchParams.get('body')! };
  void send({ ...asked, count: Number(searchParams.get('count')) }).then(
    (seconds) => response.end(JSON.stringify({ seconds })),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

type Job = { url: string; body: string; count: number };

async function send({ url, body, count }: Job): Promise<number> {
  const dispatcher = new Agent();
  const startedAt = performance.now();
  let sent = 0;
  const work = async () => {
    while (sent < count) {
      sent += 1;
      const unixS = Math.floor(Date.now() / 1_000);
      const digest = createHmac('sha256', SECRET).update(`${unixS}.`).update(body).digest('hex');
      const headers = {
        'content-type': 'application/json',
        'service-event': 'purchase.completed',
        'user-agent': 'Gatehouse-Webhooks/1.0',
        'service-signature': `t=${unixS},v1=${digest}`,
      };
      const answer = await request(url, { dispatcher, method: 'POST', headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  await dispatcher.close();
  return seconds;
}

// The reference of deliveries: pooled undici that signs the same body and does nothing else.
import { Agent, request } from 'undici';
import { serveSends, signedHeaders } from './parts/sends.ts';

const IN_FLIGHT = 32;

process.on('disconnect', () => process.exit());

await serveSends(async ({ url, body: text }, count) => {
  const dispatcher = new Agent();
  const body = Buffer.from(text);
  const startedAt = performance.now();
  let sent = 0;
  const work = async () => {
    while (sent < count) {
      sent += 1;
      const headers = signedHeaders(body);
      const answer = await request(url, { dispatcher, method: 'POST', headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  await dispatcher.close();
  return seconds;
});

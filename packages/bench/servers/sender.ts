// The reference of deliveries: pooled undici that signs the same body and does nothing else.
import { Agent, request } from 'undici';
import { answerQuestions, readOrder } from './parts/child-server.ts';
import { signedHeaders, type Sends } from './parts/sends.ts';

const IN_FLIGHT = 32;

await readOrder();
answerQuestions(async ({ message: { url, body: text }, count }: Sends) => {
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

// Whoever webhooks are sent to: answers at once, to `/slow` late, or, while told so, never to `/hang`.
import { serve } from './parts/child-server.ts';

/** `{"id":"evt_...` is how an envelope begins. */
const ID = { from: 7, to: 37 };
const SLOW_MS = 9_500;

let isHanging = false;
let hits: [string, number][] = [];

await serve((request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/control')) {
    isHanging = url.endsWith('hang');
    response.end(JSON.stringify(hits));
    hits = [];
    return;
  }
  let start = '';
  request.on('data', (chunk: Buffer) => {
    if (start === '') start = chunk.toString('latin1', ID.from, ID.to);
  });
  request.on('end', () => {
    hits.push([start, performance.timeOrigin + performance.now()]);
    if (url === '/slow') setTimeout(() => response.writeHead(204).end(), SLOW_MS);
    else if (!isHanging || url !== '/hang') response.writeHead(204).end();
  });
});

import { Agent, IncomingMessage, request, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import Koa from 'koa';
import { z } from 'zod';
import { json } from '../../../api/http/response.ts';
import { readBody } from '../../../api/http/body.ts';
import { exchangeToken } from '../../../api/oauth/token.routes.ts';
import { defineRoute } from '../../../api/http/route.ts';
import { startApi } from '../../support/http/api.ts';
import { sendRaw } from '../../support/http/raw-socket.ts';
import { readQuery } from '../../../api/http/validate.ts';

const echo = defineRoute({
  method: 'POST',
  path: '/api/echo',
  summary: 'What came',
  credential: 'public',
  limit: null,
  input: { body: { kind: 'json', shape: z.object({ name: z.string() }) } },
  handler: ({ body }) => json(body),
});

const api = await startApi({ routes: [echo, exchangeToken] });
test.after.always(() => api.close());

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  api.request('/api/echo', {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: { 'content-type': 'application/json', ...headers },
  });

async function refusal(response: Response) {
  return { status: response.status, error: JSON.parse(await response.text()).error };
}

test('JSON in UTF-8 is read, with a charset named or not', async (t) => {
  t.deepEqual(await (await post('{"name":"Zoë"}')).json(), { name: 'Zoë' });
  const named = { 'content-type': 'Application/JSON; charset=UTF-8' };
  t.is((await post('{"name":"x"}', named)).status, 200);
});

test('another type, none, or another charset is 415', async (t) => {
  const refused = { status: 415, error: 'unsupported_media_type' };
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/json; charset=utf-16',
    'nonsense',
  ]) {
    t.deepEqual(await refusal(await post('{"name":"x"}', { 'content-type': type })), refused, type);
  }
  const bare =
    'POST /api/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
  t.is((await sendRaw(api.url, bare)).status, 415);
});

test('a content encoding is 415, true or false', async (t) => {
  const refused = { status: 415, error: 'unsupported_media_type' };
  const gzip = { 'content-encoding': 'gzip' };
  t.deepEqual(await refusal(await post('{"name":"x"}', gzip)), refused);
  t.deepEqual(await refusal(await post(gzipSync('{"name":"x"}'), gzip)), refused);
});

test('broken JSON, broken UTF-8 and wrong shapes are 400, and the parameter is named', async (t) => {
  const refused = { status: 400, error: 'invalid_request' };
  t.deepEqual(await refusal(await post('{')), refused);
  t.deepEqual(await refusal(await post('')), refused);
  t.deepEqual(await refusal(await post(Buffer.from([0x22, 0xff, 0x22]))), refused);
  t.deepEqual(await refusal(await post('[]')), refused);
  t.like(await (await post('{"name":1}')).json(), { param: 'name' });
});

test('every character of UTF-8 is read, the replacement character too', async (t) => {
  const name = 'a \uFFFD b \u{1F600}';
  t.deepEqual(await (await post(JSON.stringify({ name }))).json(), { name });
  t.deepEqual(await (await post('\uFEFF{"name":"x"}')).json(), { name: 'x' }, 'a byte order mark');
  const bytes = Buffer.from('{"name":"?"}');
  bytes[bytes.indexOf('?')] = 0xff;
  t.is((await post(bytes)).status, 400);
});

test('a form that gives one field thousands of times is answered as any other', async (t) => {
  const body = 'a&'.repeat(32_000);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await api.request('/api/oauth/token', { method: 'POST', body, headers });
  t.is(response.status, 401);
});

test('a body of more than 64 KiB is 413, whatever its type', async (t) => {
  const refused = { status: 413, error: 'payload_too_large' };
  const large = JSON.stringify({ name: 'x'.repeat(65_536) });
  t.deepEqual(await refusal(await post(large)), refused);
  t.deepEqual(await refusal(await post('x'.repeat(1_000_000), { 'content-type': 'a/b' })), refused);
  const fitting = JSON.stringify({ name: 'x'.repeat(65_536 - 11) });
  t.is((await post(fitting)).status, 200);
});

test('after a refused chunked body the connection is closed cleanly and the next one serves', async (t) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (size: number) =>
    new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
      const sent = request(
        `${api.url}/api/echo`,
        { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
        (response) => {
          response.resume().on('end', () =>
            resolve({
              status: response.statusCode!,
              connection: response.headers.connection,
            }),
          );
        },
      );
      sent.on('error', reject);
      for (let left = size; left > 0; left -= 50_000)
        sent.write(' '.repeat(Math.min(left, 50_000)));
      sent.end('{"name":"x"}');
    });
  t.deepEqual(await send(1_000_000), { status: 413, connection: 'close' });
  t.is((await send(10)).status, 200);
  agent.destroy();
});

test('a caller who never finishes a refused body has its answer and loses the connection', async (t) => {
  const head =
    'POST /api/nothing HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n';
  const answer = await sendRaw(api.url, head);
  t.is(answer.status, 404);
  t.is(answer.headers.get('connection'), 'close');
});

test('a caller who is gone before the body is read sent an incomplete one, and nothing failed here', async (t) => {
  const gone = new IncomingMessage(new Socket());
  gone.headers['content-type'] = 'application/json';
  gone.headers['content-length'] = '500';
  gone.destroy();
  const ctx = new Koa().createContext(gone, new ServerResponse(gone));
  await t.throwsAsync(readBody(ctx, 'json'), { message: 'The body is incomplete.' });
});

test('a parameter is a text, a list where it is given several times', (t) => {
  const query = readQuery('a=1&b=&a=2&c&a=3&d=x+y%20z');
  t.deepEqual({ ...query }, { a: ['1', '2', '3'], b: '', c: '', d: 'x y z' });
  t.deepEqual({ ...readQuery('') }, {});
  t.deepEqual({ ...readQuery('?a=1') }, { '?a': '1' });
});

test('names of what every object has are parameters like others', (t) => {
  const query = readQuery('__proto__=1&constructor=2&__proto__=3');
  t.deepEqual(Object.entries(query), [
    ['__proto__', ['1', '3']],
    ['constructor', '2'],
  ]);
  t.is(query['toString'], undefined);
});

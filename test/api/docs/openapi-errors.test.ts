import test from 'ava';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
const document = JSON.parse(await (await api.request('/openapi.json')).text());
test.after.always(() => api.close());

type Node = { [name: string]: unknown };

const exampleOf = (path: string, method: string, status: string) =>
  document.paths[path][method].responses[status].content['application/json'].example;

test('the errors that it shows are the ones that are answered', async (t) => {
  const product = await api.seed.product();
  const headers = { authorization: `Bearer ${product.liveKey}` };
  const json = { ...headers, 'content-type': 'application/json' };
  const ID = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
  const person = await api.seed.person();
  const { token } = await api.seed.token({ product, person });
  await api.test.query('update person set deleted_at = now() where id = $1', [person.id]);
  const gone = { authorization: `Bearer ${token}` };
  const post = (init: RequestInit) => ({ method: 'POST', ...init });
  const check = '/api/v1/entitlements';
  const usage = '/api/v1/usage';
  for (const [status, path, init, query] of [
    [400, check, { headers }, ''],
    [401, check, {}, `?user_id=${ID}`],
    [405, check, post({}), ''],
    [401, '/api/v1/me', {}, ''],
    [404, '/api/v1/me', { headers: gone }, ''],
    [400, usage, post({ headers: json, body: '{"kind":"session"}' }), ''],
    [401, usage, post({}), ''],
    [413, usage, post({ headers: json, body: 'x'.repeat(70_000) }), ''],
    [415, usage, post({ headers, body: 'x' }), ''],
  ] as [number, string, RequestInit, string][]) {
    const response = await api.request(path + query, init);
    t.is(response.status, status);
    const { request_id: _id, ...told } = (await response.json()) as Node;
    const method = path === usage ? 'post' : 'get';
    const { request_id: _shown, ...shown } = exampleOf(path, method, String(status)) as Node;
    t.deepEqual(told, shown, `${path} ${status}`);
  }
});

test('the refusals of the token endpoint that it shows are the ones that are answered', async (t) => {
  for (const path of ['/api/oauth/token', '/api/oauth/revoke']) {
    const response = await api.request(path, { method: 'POST', body: new URLSearchParams() });
    t.is(response.status, 401);
    const { content } = document.paths[path].post.responses['401'];
    const { value } = content['application/json'].examples.invalid_client;
    t.deepEqual(await response.json(), value);
  }
  const revoked = document.paths['/api/oauth/revoke'].post.responses['200'];
  t.deepEqual(revoked.content['application/json'].example, {});
  const ready = document.paths['/api/ready'].get.responses;
  t.is(ready['503'].content['application/json'].example.status, 'unavailable');
});

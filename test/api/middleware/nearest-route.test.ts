import test from 'ava';
import { findNearestRoute } from '../../../api/middleware/input/nearest-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi();
test.after.always(() => api.close());

const ID = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
const CHECK = 'GET /api/v1/entitlements';
const TOKEN = 'POST /api/oauth/token';

const cases: [string, string | null][] = [
  ['/api/v1/entitlement', CHECK],
  ['/api/v1/entitlements/', CHECK],
  ['/api/v1/Entitlements', CHECK],
  ['/api/v1/entitlments', CHECK],
  [`/api/v1/entitlements/${ID}`, CHECK],
  ['/api/entitlements', CHECK],
  ['/v1/entitlements', CHECK],
  ['/oauth/token', TOKEN],
  ['/oauth2/token', TOKEN],
  ['/token', TOKEN],
  ['/api/v1/oauth/token/', TOKEN],
  ['/api/oauth/authorize', 'GET /oauth/authorize'],
  ['/v1/usage', 'POST /api/v1/usage'],
  ['/api/v1/usages', 'POST /api/v1/usage'],
  ['/api/me', 'GET /api/v1/me'],
  ['/oauth/revoke', 'POST /api/oauth/revoke'],
  ['/api/v1', null],
  ['/api/v1/purchases', null],
  ['/api/v1/no', null],
  ['/oauth', null],
  [`/${'entitlements/'.repeat(400)}`, null],
];

for (const [path, meant] of cases) {
  test(`a path that is ${meant ? `nearly ${meant}` : 'near nothing'}: ${path.slice(0, 60)}`, (t) => {
    const found = findNearestRoute(path, ROUTES);
    t.is(found && `${found.method} ${found.path}`, meant);
  });
}

const typeOf = (response: Response) => response.headers.get('content-type')?.split(';')[0];

test('a path that nearly is one of the API answers with the one that is meant', async (t) => {
  for (const [path, init, meant] of [
    ['/api/v1/entitlements/', {}, CHECK],
    ['/v1/entitlements', {}, CHECK],
    ['/oauth/token', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }, TOKEN],
  ] as const) {
    const response = await api.request(path, init);
    t.is(response.status, 404);
    t.is(typeOf(response), 'application/json');
    const message = `There is nothing here. Did you mean ${meant}?`;
    t.like(await response.json(), { error: 'not_found', message });
  }
});

test('who sends a Bearer or JSON to a path that does not exist reads JSON', async (t) => {
  const headers = { 'content-type': 'application/json' };
  for (const init of [
    { headers: { authorization: 'Bearer x' } },
    { method: 'POST', headers, body: '{}' },
  ]) {
    const response = await api.request('/nothing', init);
    t.is(response.status, 404);
    t.is(typeOf(response), 'application/json');
    t.like(await response.json(), { error: 'not_found', message: 'There is nothing here.' });
  }
});

test('a person who mistypes an address reads a page, with the same hint', async (t) => {
  const response = await api.request('/token', { headers: { accept: 'application/json' } });
  t.is(typeOf(response), 'text/html');
  t.regex(await response.text(), /Did you mean POST \/api\/oauth\/token\?/);
  t.is(typeOf(await api.request('/nothing')), 'text/html');
});

test('a page that exists stays a page, whoever asks', async (t) => {
  const headers = { authorization: 'Bearer x' };
  const response = await api.request('/p/unknown-product', { headers });
  t.is(response.status, 404);
  t.is(typeOf(response), 'text/html');
});

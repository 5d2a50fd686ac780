import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { EVENTS } from '../../../domain/webhooks/events.schema.ts';
import { EVENT_EXAMPLES } from '../../../api/docs/event-examples.ts';
import { readBlocks } from '../../support/repository/documents.ts';
import { operationsOf, type Operation } from '../../support/repository/operations.ts';
import { SHELVES } from '../../../api/docs/shelves.ts';
import { api, document } from './scene.ts';

const operations = operationsOf(document.paths);
const events = operationsOf(document.webhooks);

test('every operation and event has a name that reads', (t) => {
  t.deepEqual(
    operations.map(([, { operationId }]) => operationId),
    [
      'getHealth',
      'getReadiness',
      'checkEntitlement',
      'reportUsage',
      'startSignIn',
      'exchangeCode',
      'revokeToken',
      'getServerMetadata',
      'getProfile',
      'startCheckout',
      'getBadge',
    ],
  );
  t.deepEqual(
    events.map(([, { operationId }]) => operationId),
    Object.keys(EVENTS).map((name) =>
      name.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    ),
  );
});

test("the OpenAPI document passes the rules of spectral's OpenAPI set", (t) => {
  const { info, servers, tags } = document;
  t.truthy(info.contact.url && info.description && servers[0].description);
  const declared = new Set(tags.map(({ name }: { name: string }) => name));
  const text = JSON.stringify(document);
  for (const { name, description } of tags) t.truthy(description, name);
  for (const [name, operation] of [...operations, ...events]) {
    t.truthy(operation.description, name);
    t.true(operation.tags.length === 1 && declared.has(operation.tags[0]!), name);
  }
  const names = [...operations, ...events].map(([, { operationId }]) => operationId);
  t.is(new Set(names).size, names.length);
  for (const schema of Object.keys(document.components.schemas)) {
    t.true(text.includes(`"#/components/schemas/${schema}"`), `${schema} is used`);
  }
});

type Node = { [name: string]: unknown };

/** Each object of a document with the way to it. */
function nodesOf(value: unknown, way = ''): [string, Node][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, each]) => nodesOf(each, `${way}/${name}`));
  return [[way, value as Node], ...inner];
}

test('answers and events may grow: no closed object, no closed list of values', (t) => {
  const { UsageReport, TokenRequest, RevokeRequest, ...others } = document.components.schemas;
  t.truthy(UsageReport && TokenRequest && RevokeRequest);
  const answers = operations.map(([name, { responses }]) => [name, responses]);
  for (const [way, node] of nodesOf({ others, answers, webhooks: document.webhooks })) {
    t.not(node['additionalProperties'], false, way);
    t.false(Array.isArray(node['enum']), way);
    const known = node['x-extensible-enum'];
    if (known) t.regex(String(node['description']), /Known values: `/, way);
  }
});

test('each event is a named schema, described field by field', (t) => {
  for (const name of Object.keys(EVENTS)) {
    const { content } = document.webhooks[name].post.requestBody;
    const pointer: string = content['application/json'].schema.$ref;
    t.regex(pointer, /^#\/components\/schemas\/\w+Event$/);
    const event = document.components.schemas[pointer.split('/').at(-1)!];
    t.is(event.properties.event.const, name);
    const dataPointer: string = event.properties.data.$ref;
    const data = document.components.schemas[dataPointer.split('/').at(-1)!];
    const { data: _data, ...envelope } = event.properties;
    for (const [field, shape] of Object.entries({ ...envelope, ...data.properties })) {
      t.truthy((shape as Node)['description'], `${name}: ${field}`);
    }
  }
});

test('the examples of events are those of the guide about subscriptions', (t) => {
  const blocks = readBlocks('docs/subscriptions.md', 'json');
  const told = blocks.map((block) => JSON.parse(block) as { event: keyof typeof EVENTS });
  t.true(told.length >= 5);
  for (const event of told) t.deepEqual(EVENT_EXAMPLES[event.event] as object, event);
});

test('sign-in is an OAuth flow with its addresses and scopes', async (t) => {
  const { oauth2 } = document.components.securitySchemes;
  const { authorizationUrl, tokenUrl, scopes } = oauth2.flows.authorizationCode;
  const answer = await api.request('/.well-known/oauth-authorization-server');
  const metadata = (await answer.json()) as Node;
  t.is(authorizationUrl, metadata['authorization_endpoint']);
  t.is(tokenUrl, metadata['token_endpoint']);
  t.deepEqual(Object.keys(scopes), metadata['scopes_supported']);
});

test('a query parameter is one text, and the authorization page needs two of them', (t) => {
  for (const [name, { parameters = [] }] of operations) {
    for (const parameter of parameters) {
      t.is(parameter.schema.type, 'string', `${name}: ${parameter.name}`);
      t.truthy(parameter.description, `${name}: ${parameter.name}`);
    }
  }
  const { get } = document.paths['/oauth/authorize'];
  const required = (get as Operation).parameters!.filter((parameter) => parameter.required);
  t.deepEqual(
    required.map(({ name }) => name),
    ['client_id', 'redirect_uri'],
  );
  t.deepEqual(Object.keys(get.responses['200'].content), ['text/html']);
});

const exampleOf = (path: string, method: string, status: string) =>
  document.paths[path][method].responses[status].content['application/json'].example;

test('the errors that the OpenAPI document shows are the ones that are answered', async (t) => {
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

test('the refusals of the token endpoint that the OpenAPI document shows are the ones that are answered', async (t) => {
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

const GUIDES = SHELVES.flatMap(({ guides }) => guides.map(({ name }) => name));

// Each page is asked for once: a guide links to all others, and a minute has a limit of pages.
const asked = new Map<string, Promise<{ status: number; text: string }>>();
const ask = (path: string) => {
  const found = asked.get(path) ?? api.request(path).then(toFound);
  asked.set(path, found);
  return found;
};
const toFound = async (response: Response) => ({
  status: response.status,
  text: await response.text(),
});
const read = async (path: string) => (await ask(path)).text;

test('every guide of docs/ is on a shelf of the list', async (t) => {
  const files = readdirSync(join(import.meta.dirname, '../../../docs'));
  const names = files.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3));
  t.deepEqual(GUIDES.toSorted(), names.toSorted());
  const page = await read('/docs');
  for (const name of GUIDES) t.true(page.includes(`href="/docs/${name}"`), name);
  t.true(page.includes('href="/docs/reference"'));
});

for (const name of GUIDES) {
  test(`/docs/${name} is a page, and its links lead somewhere`, async (t) => {
    const response = await api.request(`/docs/${name}`);
    t.is(response.status, 200);
    const page = await response.text();
    t.regex(page, /<h1>[^<]+</);
    t.notRegex(page, /<script(?! type="module" src="\/assets\/copy\.)|style="/);
    const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);
    for (const href of new Set(links)) {
      if (/^https?:/.test(href)) continue;
      const [path = '', fragment] = href.split('#');
      t.regex(href, /^[/#]/, href);
      const target = path === '' ? page : await read(path);
      // The console is for people who are signed in.
      const status = path === '/console' ? 303 : 200;
      if (path !== '') t.is((await ask(path)).status, status, href);
      if (fragment) t.true(target.includes(`id="${fragment}"`), href);
    }
  });
}

test('other names are 404, and no file beside the guides is shown', async (t) => {
  for (const name of [
    'nothing',
    'access.md',
    'README',
    '..%2FREADME',
    'decisions',
    'constructor',
  ]) {
    t.is((await api.request(`/docs/${name}`)).status, 404, name);
  }
});

test('a guide names this installation, whatever port it has', async (t) => {
  for (const name of GUIDES) {
    const page = await read(`/docs/${name}`);
    t.notRegex(page, /localhost:3[01]00/, name);
  }
  for (const name of ['sign-in', 'access']) {
    t.true((await read(`/docs/${name}`)).includes(api.config.baseUrl), name);
  }
  t.true((await read('/docs/simulator')).includes(api.config.processor.apiUrl));
});

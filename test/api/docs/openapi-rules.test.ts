import test from 'ava';
import { EVENTS } from '../../../domain/webhooks/events.schema.ts';
import { EVENT_EXAMPLES } from '../../../api/docs/event-examples.ts';
import { startApi } from '../../support/http/api.ts';
import { readBlocks } from '../../support/repository/documents.ts';
import { operationsOf, type Operation } from '../../support/repository/operations.ts';

const api = await startApi();
const document = JSON.parse(await (await api.request('/openapi.json')).text());
test.after.always(() => api.close());

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

test("it passes the rules of spectral's OpenAPI set", (t) => {
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

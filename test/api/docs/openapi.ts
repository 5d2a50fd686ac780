import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import { ERRORS } from '../../../api/http/errors.ts';
import { EVENTS } from '../../../domain/webhooks/events.schema.ts';
import { operationsOf } from '../../support/repository/operations.ts';
import { api, document } from './scene.ts';

test('the document is valid OpenAPI 3.1', async (t) => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  t.true(valid, JSON.stringify(errors));
  t.is(validator.version, '3.1');
});

test('the OpenAPI document describes the routes that products call', (t) => {
  t.deepEqual(Object.keys(document.paths).toSorted(), [
    '/.well-known/oauth-authorization-server',
    '/api/health',
    '/api/oauth/revoke',
    '/api/oauth/token',
    '/api/ready',
    '/api/v1/entitlements',
    '/api/v1/me',
    '/api/v1/usage',
    '/buy/{ref}',
    '/oauth/authorize',
    '/p/{ref}/badge',
  ]);
  const { get } = document.paths['/api/v1/entitlements'];
  t.deepEqual(Object.keys(get.responses), ['200', '400', '401', '405', '429', '500', '503']);
  t.deepEqual(get.security, [{ key: [] }]);
  t.deepEqual(
    get.parameters.map((parameter: { name: string }) => parameter.name),
    ['user_id', 'X-Service-Test-Entitlement'],
  );
});

test('the OpenAPI document describes what the token endpoint takes, and how it refuses', (t) => {
  const { post } = document.paths['/api/oauth/token'];
  t.deepEqual(post.security, [{ client: [] }, {}]);
  // Clients in Python, made from a body in two types, cannot be imported.
  t.deepEqual(Object.keys(post.requestBody.content), ['application/x-www-form-urlencoded']);
  t.regex(post.description, /application\/json/);
  const schemaOf = (status: string) =>
    post.responses[status].content['application/json'].schema.$ref;
  t.regex(schemaOf('400'), /OauthError$/);
  t.regex(schemaOf('401'), /OauthError$/);
  t.regex(schemaOf('429'), /\/Error$/);
  t.is(post.responses['401'].description, '`invalid_client`');
  t.deepEqual(Object.keys(post.responses['400'].content['application/json'].examples), [
    'invalid_grant',
    'invalid_request',
    'unsupported_grant_type',
  ]);
  t.deepEqual(document.paths['/api/v1/me'].get.security, [{ oauth2: ['identity'] }, { token: [] }]);
});

const operations = operationsOf(document.paths);
const events = operationsOf(document.webhooks);

test('every body of JSON has an example that its schema accepts', (t) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  for (const [name, { requestBody, responses }] of [...operations, ...events]) {
    const bodies = [requestBody, ...Object.values(responses)];
    for (const [type, { schema, example, examples = {} }] of bodies.flatMap((body) =>
      Object.entries(body?.content ?? {}),
    )) {
      if (/^(text|image)\//.test(type)) continue;
      const shown = [example ?? [], ...Object.values(examples).map(({ value }) => value)].flat();
      t.true(shown.length > 0, `${name} ${type}`);
      const pointed = JSON.parse(
        JSON.stringify(schema).replaceAll('"#/components', '"document#/components'),
      );
      for (const each of shown) {
        t.true(ajv.validate(pointed, each), `${name}: ${ajv.errorsText()}`);
      }
    }
  }
});

test('every answer names its headers', (t) => {
  for (const [name, { responses }] of operations) {
    for (const [status, { headers }] of Object.entries(responses)) {
      t.true('x-request-id' in headers, `${name} ${status}`);
      if (status === '429') t.true('retry-after' in headers && 'ratelimit-reset' in headers, name);
      if (status === '303') t.true('location' in headers, name);
    }
  }
});

test('the OpenAPI document describes what a usage report is, for both credentials, and how it is answered', (t) => {
  const { post } = document.paths['/api/v1/usage'];
  t.deepEqual(post.security, [{ oauth2: [] }, { token: [] }, { key: [] }]);
  t.deepEqual(Object.keys(post.requestBody.content), ['application/json']);
  t.deepEqual(Object.keys(post.responses), [
    '200',
    '400',
    '401',
    '403',
    '404',
    '405',
    '413',
    '415',
    '429',
    '500',
    '503',
  ]);
  t.truthy(post.responses['200'].headers['ratelimit-remaining']);
  t.truthy(post.responses['429'].headers['retry-after']);
  const { UsageReport, UsageAnswer } = document.components.schemas;
  t.deepEqual(UsageReport.required, ['kind']);
  t.is(UsageReport.additionalProperties, undefined, 'unknown fields are ignored');
  t.is(UsageReport.examples.length, 2);
  t.deepEqual(UsageAnswer.required, ['ok', 'counted', 'qualifying', 'test_mode']);
  t.deepEqual(UsageAnswer.properties.reason['x-extensible-enum'], [
    'test_key',
    'not_signed_in_or_entitled',
  ]);
});

test('the OpenAPI document lists every event and every error code', (t) => {
  t.deepEqual(Object.keys(document.webhooks), Object.keys(EVENTS));
  t.deepEqual(
    document.components.schemas.Error.properties.error['x-extensible-enum'],
    Object.keys(ERRORS),
  );
});

test('the reference page loads nothing from elsewhere', async (t) => {
  const response = await api.request('/docs/reference');
  const page = await response.text();
  t.is(response.status, 200);
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  t.true(loaded.length >= 3);
  for (const path of loaded) {
    t.regex(path, /^[/#]/);
    const file = path.startsWith('/assets/');
    if (file) t.is((await api.request(path)).status, 200, path);
  }
  t.is((await api.request('/docs/index.html')).status, 404);
});

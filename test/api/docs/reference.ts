import test from 'ava';
import { EVENTS } from '../../../domain/webhooks/events.schema.ts';
import { toReference } from '../../../api/docs/reference.ts';
import { describeField, listFields } from '../../../api/docs/schema-fields.ts';
import { operationsOf } from '../../support/repository/operations.ts';
import { api, document } from './scene.ts';

const reference = toReference(document);
const operations = reference.groups.flatMap((group) => group.operations);

const read = async (path: string) => {
  const response = await api.request(path);
  return { status: response.status, text: await response.text() };
};

test('every operation and event of the document has a page, which works without script', async (t) => {
  const count = [...operationsOf(document.paths), ...operationsOf(document.webhooks)].length;
  t.is(operations.length, count);
  const overview = await read('/docs/reference');
  for (const { slug, title, target } of operations) {
    t.true(overview.text.includes(`href="/docs/reference/${slug}"`), slug);
    const page = await read(`/docs/reference/${slug}`);
    t.is(page.status, 200, slug);
    t.true(page.text.includes(`<h1>${title}</h1>`), slug);
    t.true(page.text.includes(target), slug);
    t.notRegex(page.text, /<script(?! type="module" src="\/assets\/copy)|style="/, slug);
  }
});

test('a page says the parameters, the credential, the answers by status and the errors', async (t) => {
  const { text } = await read('/docs/reference/check-entitlement');
  for (const said of [
    /<code>user_id<\/code>\s*<span>UUID<\/span>\s*<strong>required<\/strong>/,
    /<code>Authorization<\/code>\s*<span>Bearer<\/span>/,
    /API key<\/span/,
    /600 per minute/,
    /Answer 200/,
    /purchase \| subscription \| member \| complimentary \| null/,
    /name="answer"[^]*401/,
    /invalid_request/,
  ]) {
    t.regex(text, said);
  }
});

test('every event says what its body holds, and what to answer', async (t) => {
  for (const name of Object.keys(EVENTS)) {
    const { text } = await read(`/docs/reference/${name}`);
    t.regex(text, /<code>data<\/code>/, name);
    t.regex(text, /Your answer/, name);
  }
});

test('other operations are 404', async (t) => {
  for (const name of ['nothing', 'constructor', 'checkEntitlement']) {
    t.is((await read(`/docs/reference/${name}`)).status, 404, name);
  }
});

test('the pages of errors and limits list what the document lists', async (t) => {
  const { text } = await read('/docs/reference/errors');
  const codes: string[] = document.components.schemas.Error.properties.error['x-extensible-enum'];
  for (const code of codes) t.true(text.includes(`<code>${code}</code>`), code);
  const limits = await read('/docs/reference/limits');
  t.regex(limits.text, /Report usage[^]*6,000/);
});

test('a field says its type, whether it is required, and its limits', (t) => {
  const cases: [object, Partial<ReturnType<typeof describeField>>][] = [
    [
      { type: 'string', format: 'uuid', maxLength: 36 },
      { type: 'UUID', limits: [] },
    ],
    [{ type: ['string', 'null'] }, { type: 'string | null' }],
    [
      { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
      { type: 'time | null' },
    ],
    [
      { enum: ['a', 'b'], description: 'x. Known values: `a`' },
      { type: 'a | b', description: 'x' },
    ],
    [{ const: 'a' }, { type: '"a"' }],
    [{ type: 'array', items: { type: 'string' } }, { type: 'list of string' }],
    [
      { type: 'string', minLength: 1, maxLength: 64 },
      { type: 'string', limits: ['not empty', 'at most 64 characters'] },
    ],
    [
      { type: 'integer', minimum: 0, maximum: 9, default: 3 },
      { type: 'integer', limits: ['at least 0', 'at most 9', '3 by default'] },
    ],
  ];
  for (const [schema, expected] of cases) {
    t.like(describeField('name', schema, true), { name: 'name', isRequired: true, ...expected });
  }
});

test('a field within another has the name of both', (t) => {
  const inner = { properties: { id: { type: 'string' } }, required: ['id'] };
  const fields = listFields(
    { properties: { data: { $ref: '#/components/schemas/Inner' } } },
    { Inner: inner },
  );
  t.deepEqual(
    fields.map(({ name, type, isRequired }) => [name, type, isRequired]),
    [
      ['data', 'object', false],
      ['data.id', 'string', true],
    ],
  );
});

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import type { ExampleRequest } from '../../../api/docs/example-request.ts';
import { toReference } from '../../../api/docs/reference.ts';
import { writeExamples } from '../../../api/docs/write-examples.ts';
import { api, document } from './scene.ts';

const run = promisify(execFile);

const PLAIN: ExampleRequest = {
  method: 'GET',
  url: 'https://gatehouse.example/api/things',
  query: [],
  headers: [],
  body: null,
  bearer: null,
  shownBy: 'program',
};

const CASES: [title: string, request: Partial<ExampleRequest>, expected: Record<string, RegExp>][] =
  [
    [
      'a plain request',
      {},
      {
        sh: /^curl -s 'https:\/\/gatehouse\.example\/api\/things'$/,
        ts: /fetch\('https:\/\/gatehouse\.example\/api\/things'\)/,
        python: /Request\("https:\/\/gatehouse\.example\/api\/things"\)/,
        go: /NewRequest\("GET", "https:\/\/gatehouse\.example\/api\/things", nil\)/,
      },
    ],
    [
      'a query, with a value that needs encoding',
      {
        query: [
          ['id', 'a-1'],
          ['to', "it's & more"],
        ],
      },
      {
        sh: /-G '.*'[^]*-d 'id=a-1'[^]*--data-urlencode 'to=it'\\''s & more'/,
        ts: /URLSearchParams\(\{ id: 'a-1', to: 'it\\'s & more' \}\)/,
        python: /urlencode\(\{"id": "a-1", "to": "it's & more"\}\)/,
        go: /"to": \{"it's & more"\}/,
      },
    ],
    [
      'a credential',
      { bearer: 'PERSON_TOKEN' },
      {
        sh: /-H "Authorization: Bearer \$PERSON_TOKEN"/,
        ts: /authorization: `Bearer \$\{process\.env\.PERSON_TOKEN\}`/,
        python: /"Bearer " \+ os\.environ\["PERSON_TOKEN"\]/,
        go: /"Bearer "\+os\.Getenv\("PERSON_TOKEN"\)/,
      },
    ],
    [
      'a body of JSON',
      { method: 'POST', body: { type: 'json', value: { kind: 'activity', late: true } } },
      {
        sh: /-d '\{"kind":"activity","late":true\}'/,
        ts: /method: 'POST'[^]*JSON\.stringify\(\{ kind: 'activity', late: true \}\)/,
        python: /json\.dumps\(\{"kind": "activity", "late": True\}\)/,
        go: /strings\.NewReader\(`\{"kind":"activity","late":true\}`\)/,
      },
    ],
    [
      'a form',
      { method: 'POST', body: { type: 'form', fields: [['code', 'gac_1']] } },
      {
        sh: /^curl -s '[^']+' \\\n {2}-d 'code=gac_1'$/,
        ts: /new URLSearchParams\(\{ code: 'gac_1' \}\)/,
        python: /request\.data = body\.encode\(\)/,
        go: /application\/x-www-form-urlencoded/,
      },
    ],
  ];

for (const [title, request, expected] of CASES) {
  test(`examples of ${title} are written in four languages`, (t) => {
    const examples = writeExamples({ ...PLAIN, ...request });
    t.deepEqual(
      examples.map(({ language }) => language),
      Object.keys(expected),
    );
    for (const { language, text } of examples) t.regex(text, expected[language]!);
  });
}

test('a page is shown by its address, and a picture by its element', (t) => {
  const query: ExampleRequest['query'] = [['seal', '1']];
  const [address] = writeExamples({ ...PLAIN, query, shownBy: 'browser' });
  t.is(address!.text, 'https://gatehouse.example/api/things?seal=1');
  const [picture] = writeExamples({ ...PLAIN, query, shownBy: 'picture' });
  t.is(
    picture!.text,
    '<img src="https://gatehouse.example/api/things?seal=1" alt="Gatehouse badge" />',
  );
});

const operations = toReference(document).groups.flatMap((group) => group.operations);

function exampleOf(slug: string, language: string): string {
  const { request } = operations.find((operation) => operation.slug === slug)!;
  return writeExamples(request!).find((example) => example.language === language)!.text;
}

test('the example of curl and the one of TypeScript run as they are', async (t) => {
  const { liveKey } = await api.seed.product();
  // The document names the address of the configuration; the process listens at this one.
  const here = (text: string) => text.replaceAll(api.config.baseUrl, api.url);
  const env = { ...process.env, GATEHOUSE_KEY: liveKey };
  const curl = await run('sh', ['-c', here(exampleOf('check-entitlement', 'sh'))], { env });
  t.is(JSON.parse(curl.stdout).active, false);
  const program = here(exampleOf('check-entitlement', 'ts'));
  const node = await run(process.execPath, ['--input-type=module-typescript', '-e', program], {
    env,
  });
  t.regex(node.stdout, /^200 [^]*active: false/);
});

test('every example of TypeScript is a program for Node', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const texts = operations.flatMap(({ request }) =>
    request === null
      ? []
      : writeExamples(request).flatMap(({ language, text }) => (language === 'ts' ? [text] : [])),
  );
  t.is(texts.length, 8);
  const file = join(folder, 'examples.mjs');
  writeFileSync(file, texts.map((text) => `{\n${text}\n}\n`).join(''));
  await t.notThrowsAsync(run(process.execPath, ['--check', file]));
});

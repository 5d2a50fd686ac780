// A request of the reference as programs that send it, in the languages of the guides.
import type { ExampleRequest } from './example-request.ts';

type Example = { language: string; text: string };

export function writeExamples(request: ExampleRequest): Example[] {
  if (request.shownBy === 'browser') return [{ language: 'text', text: addressOf(request) }];
  if (request.shownBy === 'picture') return [{ language: 'html', text: writePicture(request) }];
  return [
    { language: 'sh', text: writeCurl(request) },
    { language: 'ts', text: writeTypeScript(request) },
    { language: 'python', text: writePython(request) },
    { language: 'go', text: writeGo(request) },
  ];
}

function addressOf({ url, query }: ExampleRequest): string {
  return query.length === 0 ? url : `${url}?${new URLSearchParams(query).toString()}`;
}

function writePicture(request: ExampleRequest): string {
  return `<img src="${addressOf(request)}" alt="Gatehouse badge" />`;
}

/** What a line of the reference holds beside the text, less quotes and the end of the line. */
const LONGEST_LINE = 48;

/** A text between single quotes of a shell. */
const inShell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function writeCurl({ method, url, query, body, bearer }: ExampleRequest): string {
  const pairs = body?.type === 'form' ? body.fields : query;
  const command = `curl -s${method === 'GET' && query.length > 0 ? ' -G' : ''}`;
  const isShort = command.length + url.length <= LONGEST_LINE;
  const parts = [
    ...(isShort ? [`${command} ${inShell(url)}`] : [command, inShell(url)]),
    ...pairs.map(([name, value]) => {
      const isPlain = encodeURIComponent(value) === value;
      return `${isPlain ? '-d' : '--data-urlencode'} ${inShell(`${name}=${value}`)}`;
    }),
    ...(bearer === null ? [] : [`-H "Authorization: Bearer $${bearer}"`]),
    ...(body?.type === 'json'
      ? ["-H 'Content-Type: application/json'", `-d ${inShell(JSON.stringify(body.value))}`]
      : []),
  ];
  return parts.join(' \\\n  ');
}

const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** `{ kind: 'activity' }`, as this project writes it. */
function writeObject(entries: [string, unknown][]): string {
  return inBraces(entries.map(([name, value]) => `${name}: ${writeValue(value)}`));
}

function inBraces(written: string[]): string {
  const line = `{ ${written.join(', ')} }`;
  return line.length <= 60 ? line : `{\n${written.map((each) => `  ${each},\n`).join('')}}`;
}

function writeValue(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

function writeTypeScript({ method, url, query, body, bearer }: ExampleRequest): string {
  const headers = [
    ...(bearer === null ? [] : [`authorization: \`Bearer \${process.env.${bearer}}\``]),
    ...(body?.type === 'json' ? ["'content-type': 'application/json'"] : []),
  ];
  const init = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: ${inBraces(headers)}`]),
    ...(body?.type === 'json'
      ? [`body: JSON.stringify(${writeObject(Object.entries(body.value))})`]
      : []),
    ...(body?.type === 'form' ? ['body'] : []),
  ];
  const address = query.length === 0 ? quoted(url) : `\`${url}?\${query}\``;
  const options =
    init.length === 0
      ? ''
      : `, {\n${init.map((each) => `  ${each.replaceAll('\n', '\n  ')},\n`).join('')}}`;
  return [
    ...(query.length === 0 ? [] : [`const query = new URLSearchParams(${writeObject(query)});`]),
    ...(body?.type === 'form'
      ? [`const body = new URLSearchParams(${writeObject(body.fields)});`]
      : []),
    `const response = await fetch(${address}${options});`,
    'console.log(response.status, await response.json());',
  ].join('\n');
}

/** JSON is Python, but for three words. */
function inPython(value: unknown): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  return words[String(value)] ?? JSON.stringify(value);
}

function writeDictionary(entries: [string, unknown][]): string {
  const written = entries.map(([name, value]) => `${JSON.stringify(name)}: ${inPython(value)}`);
  const line = `{${written.join(', ')}}`;
  return line.length <= 60 ? line : `{\n${written.map((each) => `    ${each},\n`).join('')}}`;
}

function writePython({ url, query, body, bearer }: ExampleRequest): string {
  const isEncoded = query.length > 0 || body?.type === 'form';
  return [
    `import json${bearer === null ? '' : ', os'}`,
    ...(isEncoded ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(query.length === 0 ? [] : [`query = urlencode(${writeDictionary(query)})`]),
    ...(body?.type === 'form' ? [`body = urlencode(${writeDictionary(body.fields)})`] : []),
    ...(body?.type === 'json'
      ? [`body = json.dumps(${writeDictionary(Object.entries(body.value))})`]
      : []),
    `request = Request(${JSON.stringify(query.length === 0 ? url : `${url}?`)}${query.length === 0 ? '' : ' + query'})`,
    ...(bearer === null
      ? []
      : [`request.add_header("Authorization", "Bearer " + os.environ["${bearer}"])`]),
    ...(body?.type === 'json' ? ['request.add_header("Content-Type", "application/json")'] : []),
    ...(body === null ? [] : ['request.data = body.encode()']),
    'with urlopen(request) as response:',
    '    print(json.load(response))',
  ].join('\n');
}

function writeValues(pairs: [string, string][]): string {
  const written = pairs.map(
    ([name, value]) => `${JSON.stringify(name)}: {${JSON.stringify(value)}}`,
  );
  return `url.Values{\n${written.map((each) => `\t\t${each},\n`).join('')}\t}`;
}

function writeGo({ method, url, query, body, bearer }: ExampleRequest): string {
  const pairs = body?.type === 'form' ? body.fields : query;
  const packages = [
    'fmt',
    'io',
    'log',
    'net/http',
    ...(pairs.length === 0 ? [] : ['net/url']),
    ...(bearer === null ? [] : ['os']),
    ...(body === null ? [] : ['strings']),
  ];
  const address = `${JSON.stringify(query.length === 0 ? url : `${url}?`)}${query.length === 0 ? '' : '+query.Encode()'}`;
  const data = {
    json: body?.type === 'json' ? `strings.NewReader(\`${JSON.stringify(body.value)}\`)` : '',
    form: 'strings.NewReader(form.Encode())',
  };
  const type = { json: 'application/json', form: 'application/x-www-form-urlencoded' };
  const failing = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}';
  return [
    'package main\n',
    `import (\n${packages.map((name) => `\t"${name}"\n`).join('')})\n`,
    'func main() {',
    ...(pairs.length === 0
      ? []
      : [`\t${query.length > 0 ? 'query' : 'form'} := ${writeValues(pairs)}`]),
    `\trequest, err := http.NewRequest("${method}", ${address}, ${body === null ? 'nil' : data[body.type]})`,
    failing,
    ...(bearer === null
      ? []
      : [`\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${bearer}"))`]),
    ...(body === null ? [] : [`\trequest.Header.Set("Content-Type", "${type[body.type]}")`]),
    '\tresponse, err := http.DefaultClient.Do(request)',
    failing,
    '\tdefer response.Body.Close()',
    '\tanswer, err := io.ReadAll(response.Body)',
    failing,
    '\tfmt.Println(response.Status, string(answer))',
    '}',
  ].join('\n');
}

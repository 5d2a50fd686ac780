// A request of the reference, with the values that its schemas give as examples.
import type { Schema } from './schema-fields.ts';

type Pair = [name: string, value: string];

export type ExampleRequest = {
  method: 'GET' | 'POST';
  url: string;
  query: Pair[];
  headers: Pair[];
  body: { type: 'json'; value: Record<string, unknown> } | { type: 'form'; fields: Pair[] } | null;
  /** The variable of the environment that holds the credential. */
  bearer: string | null;
  /** A browser goes there, or shows the picture that is there. */
  shownBy: 'program' | 'browser' | 'picture';
};

type Documented = {
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string; schema: Schema; required?: boolean }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
};

type Place = { method: string; target: string; document: { servers: { url: string }[] } };

/** The variables that hold the credentials, by the name of the scheme. */
const VARIABLES: Record<string, string> = {
  key: 'GATEHOUSE_KEY',
  token: 'PERSON_TOKEN',
  oauth2: 'PERSON_TOKEN',
};

export function toRequest(operation: Documented, { method, target, document }: Place) {
  const { parameters = [], security = [] } = operation;
  const valuesIn = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.schema.examples?.length)
      .map(({ name, schema }): Pair => [name, String(schema.examples![0])]);
  const path = valuesIn('path').reduce(
    (written, [name, value]) => written.replace(`{${name}}`, encodeURIComponent(value)),
    target,
  );
  const [scheme = ''] = security.flatMap((each) => Object.keys(each));
  return {
    method: method.toUpperCase() as 'GET' | 'POST',
    url: `${document.servers[0]!.url}${path}`,
    query: valuesIn('query'),
    headers: [] as Pair[],
    body: readBody(operation),
    bearer: VARIABLES[scheme] ?? null,
    shownBy: whoShows(operation),
  } satisfies ExampleRequest;
}

function readBody({ requestBody }: Documented): ExampleRequest['body'] {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (media?.example === undefined) return null;
  const value = media.example as Record<string, unknown>;
  if (type === 'application/json') return { type: 'json', value };
  return {
    type: 'form',
    fields: Object.entries(value).map(([name, each]) => [name, String(each)]),
  };
}

function whoShows({ responses }: Documented): ExampleRequest['shownBy'] {
  const types = Object.keys(responses['200']?.content ?? {});
  if (types.includes('application/json')) return 'program';
  return types.includes('image/svg+xml') ? 'picture' : 'browser';
}

// The OpenAPI document as the pages of the reference need it: operations in groups, with examples.
import { toRequest, type ExampleRequest } from './example-request.ts';
import {
  describeField,
  listFields,
  type Field,
  type Schema,
  type Schemas,
} from './schema-fields.ts';

type Media = {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};

type Content = Record<string, Media>;

type Parameter = {
  in: 'path' | 'query' | 'header';
  name: string;
  schema: Schema;
  required?: boolean;
  description?: string;
};

/** What we use of an operation of the document. */
type DocumentedOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

type PathItem = Record<string, DocumentedOperation>;

/** What we use of the OpenAPI document that `/openapi.json` serves. */
export type OpenApiDocument = {
  info: { description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, PathItem>;
  components: {
    schemas: Schemas;
    securitySchemes: Record<string, { scheme?: string; description: string }>;
  };
};

export type Answer = {
  status: string;
  meaning: string;
  isError: boolean;
  fields: Field[];
  /** The body, as JSON. */
  example: string | null;
};

export type Operation = {
  /** Its address below the reference. */
  slug: string;
  group: string;
  method: 'GET' | 'POST' | 'EVENT';
  /** The path, or the name of the event. */
  target: string;
  title: string;
  /** The first sentence of the description. */
  lede: string;
  /** What follows it. */
  paragraphs: string[];
  /** How many requests a minute allows. */
  limit: string | null;
  guide: string | null;
  /** The names of the schemes, one of which is enough; none for an open operation. */
  credentials: string[];
  isCredentialOptional: boolean;
  parameters: { heading: string; fields: Field[] }[];
  answers: Answer[];
  /** Is null for an event: Gatehouse is the caller. */
  request: ExampleRequest | null;
  /** The body of an event, as JSON. */
  event: string | null;
};

export type Reference = {
  baseUrl: string;
  description: string[];
  schemes: [name: string, description: string][];
  groups: { name: string; id: string; operations: Operation[] }[];
};

/** The groups of the pages, by the tags of the document. */
const GROUPS: [name: string, tags: string[]][] = [
  ['Access', ['Access', 'Usage']],
  ['Sign-in', ['Identity']],
  ['Selling', ['Selling']],
  ['Events', ['Webhooks']],
  ['Health', ['Health']],
];

export function toReference(document: OpenApiDocument): Reference {
  const operations = [
    ...listOperations(document.paths, document),
    ...listOperations(document.webhooks, document),
  ];
  return {
    baseUrl: document.servers[0]!.url,
    description: document.info.description.split('\n\n'),
    schemes: Object.entries(document.components.securitySchemes).map(([name, { description }]) => [
      name,
      description,
    ]),
    groups: GROUPS.map(([name]) => ({
      name,
      id: name.toLowerCase(),
      operations: operations.filter(({ group }) => group === name),
    })),
  };
}

function listOperations(items: Record<string, PathItem>, document: OpenApiDocument): Operation[] {
  return Object.entries(items).flatMap(([target, item]) =>
    Object.entries(item).map(([method, operation]) =>
      toOperation(operation, { method, target, document }),
    ),
  );
}

type Place = { method: string; target: string; document: OpenApiDocument };

function toOperation(operation: DocumentedOperation, place: Place): Operation {
  const { document, method, target } = place;
  const { schemas } = document.components;
  const tag = operation.tags[0]!;
  const isEvent = tag === 'Webhooks';
  const { description } = document.tags.find(({ name }) => name === tag)!;
  const paragraphs = operation.description.split('\n\n');
  const [, lede = '', rest = ''] = FIRST_SENTENCE.exec(paragraphs[0]!) ?? [];
  const security = operation.security ?? [];
  return {
    slug: isEvent ? target : toSlug(operation.operationId),
    group: GROUPS.find(([, tags]) => tags.includes(tag))![0],
    method: isEvent ? 'EVENT' : (method.toUpperCase() as 'GET' | 'POST'),
    target,
    title: operation.summary,
    lede,
    paragraphs: [rest, ...paragraphs.slice(1)].filter((text) => text !== '' && !LIMIT.test(text)),
    limit: paragraphs.map((paragraph) => LIMIT.exec(paragraph)?.[1]).find(Boolean) ?? null,
    guide: /`\/docs\/([\w-]+)`/.exec(description)?.[1] ?? null,
    credentials: security.flatMap((scheme) => Object.keys(scheme)),
    isCredentialOptional: security.some((scheme) => Object.keys(scheme).length === 0),
    parameters: listParameters(operation, document.components),
    answers: Object.entries(operation.responses).map(([status, answer]) =>
      toAnswer(status, answer, schemas),
    ),
    request: isEvent ? null : toRequest(operation, place),
    event: isEvent ? exampleOf(Object.values(operation.requestBody!.content)[0]) : null,
  };
}

const FIRST_SENTENCE = /^(.+?\.)(?: ([A-Z`].*))?$/s;

const LIMIT = /^Limit: (.+)\.$/;

/** `check-entitlement` of `checkEntitlement`. */
function toSlug(operationId: string): string {
  return operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const PLACES = { path: 'Path', query: 'Query', header: 'Headers' };

function listParameters(operation: DocumentedOperation, components: OpenApiDocument['components']) {
  const { parameters = [], requestBody } = operation;
  const { schemas } = components;
  const ofPlaces = Object.entries(PLACES).map(([place, heading]) => ({
    heading,
    fields: [
      ...(place === 'header' ? describeCredential(operation, components) : []),
      ...parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema, required = false, description }) =>
          describeField(name, { ...schema, description: description ?? '' }, required),
        ),
    ],
  }));
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const ofBody = body ? listFields(body.schema, schemas) : [];
  const heading = type === 'application/json' ? 'Body, as JSON' : 'Body, as a form';
  return [...ofPlaces, { heading, fields: ofBody }].filter(({ fields }) => fields.length > 0);
}

/** The header of the credential, which the document keeps apart from the parameters. */
function describeCredential(
  { security = [] }: DocumentedOperation,
  { securitySchemes }: OpenApiDocument['components'],
): Field[] {
  const names = security.flatMap((scheme) => Object.keys(scheme));
  if (names.length === 0) return [];
  const schemes = names.map((name) => securitySchemes[name]!);
  return [
    {
      name: 'Authorization',
      type: schemes[0]!.scheme === 'basic' ? 'Basic' : 'Bearer',
      isRequired: security.every((scheme) => Object.keys(scheme).length > 0),
      // A flow and its token are one credential: the flow is the fuller text.
      description: schemes
        .filter((_, index) => names[index] !== 'token' || !names.includes('oauth2'))
        .map(({ description }) => description)
        .join(' Or: '),
      limits: [],
    },
  ];
}

function toAnswer(
  status: string,
  { description, content = {} }: DocumentedOperation['responses'][string],
  schemas: Schemas,
): Answer {
  const json = content['application/json'];
  return {
    status,
    meaning: description,
    isError: Number(status) >= 400,
    fields: json ? listFields(json.schema, schemas) : [],
    example: exampleOf(json),
  };
}

function exampleOf(media: Media | undefined): string | null {
  const [named] = Object.values(media?.examples ?? {});
  const example = media?.example ?? named?.value;
  return example === undefined ? null : JSON.stringify(example, null, 2);
}

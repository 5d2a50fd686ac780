import type { HtmlSafeString } from '@prairielearn/html';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { KeyHolder } from '../domain/catalog/catalog.repository.ts';
import type { Union } from '../domain/entitlements/effective-access.ts';
import type { Visitor } from '../domain/identity/identity.repository.ts';
import type { Scope } from '../domain/oauth/scope.ts';
import type { Bearer } from '../domain/oauth/tokens/token.repository.ts';
import type { UsageKind } from '../domain/usage/decide-usage.ts';
import type { Reporter } from '../domain/usage/report.repository.ts';
import type { ErrorCode } from './errors.ts';
import type { LimitName } from './limits.ts';
import type { Services } from './services.ts';

/** What a route knows about its caller, by the credential that it asks for. */
type Facts = {
  /** Anyone. */
  public: object;
  /** Anyone; a page that shows who is signed in. */
  visitor: { visitor: Visitor | null };
  /** A signed-in person; others are sent to sign-in and back. */
  session: { visitor: Visitor };
  /** Somebody who may run the platform; others are not told that there is such a page. */
  operator: { visitor: Visitor };
  /** A product's API key. */
  key: { keyHolder: KeyHolder; access: Union | null };
  /** A person's access token. */
  token: { bearer: Bearer; access: Union | null };
  /** One of the two; the handler sees which, and whether the report of a token is recorded by now. */
  key_or_token:
    | { keyHolder: KeyHolder; reporter?: undefined; isRecorded?: undefined }
    | { keyHolder?: undefined; reporter: Reporter; isRecorded: boolean };
  /** An OAuth client, which the handler reads from the body, counts and proves in this order. */
  client: object;
  /** The payment processor; its signature over the body is checked by the handler. */
  signature: object;
};

export type Credential = keyof Facts;

/** `form` and `upload` bodies come from our own pages: they need the page's CSRF token. */
export type Body = {
  kind: 'json' | 'form' | 'upload' | 'bytes';
  shape: z.ZodType;
  limitBytes?: number;
};

export type Shapes = { params?: z.ZodType; query?: z.ZodType; body?: Body };

type Read<Shape> = Shape extends z.ZodType ? z.output<Shape> : undefined;
type ReadBody<Given> = Given extends { shape: infer Shape } ? Read<Shape> : undefined;

type Call<Input extends Shapes, Needed extends Credential> = Facts[Needed] & {
  ctx: Context;
  services: Services;
  params: Read<Input['params']>;
  query: Read<Input['query']>;
  body: ReadBody<Input['body']>;
  /** The tokens of the caller's cookies; the pre-session's is there only with a well-formed cookie. */
  cookies: {
    session: string | null;
    preSession: string | null;
    signUp: string | null;
    device: string | null;
  };
};

/** For code that serves calls of any route. */
export type AnyCall = Pick<Call<Shapes, 'public'>, 'ctx' | 'services' | 'cookies'> & {
  visitor?: Visitor | null;
};

export type Answer = {
  status: number;
  headers?: Record<string, string>;
  cookies?: string[];
  type?: string;
  body?: string | Buffer;
  /** In place of a body: text by text, for what may be long. */
  stream?: AsyncIterable<string>;
};

export type View = {
  title: string;
  content: HtmlSafeString;
  /** Asked for again after so many seconds, while it shows something under way. */
  refreshAfterS?: number;
};

/** What the reference says about a route; pages and assets have none. */
export type Documentation = {
  tag: string;
  description?: string;
  /** The answer of the first status, a JSON body. */
  output?: z.ZodType;
  /** Its answers are pictures instead, to be revalidated each time. */
  isPicture?: boolean;
  requestHeaders?: z.ZodObject;
  /** A body that is a form or JSON. */
  requestBody?: z.ZodObject;
  /** How 400 and 401 look where they do not have the general shape. */
  refusal?: z.ZodType;
};

/** Whose access to the credential's product is read in the statement that looks the credential up. */
type AccessOf<Input extends Shapes> = {
  key: (query: Read<Input['query']>) => string;
  token: 'bearer';
};

type Definition<Input extends Shapes, Needed extends Credential> = {
  method: 'GET' | 'POST';
  path: string;
  summary: string;
  credential: Needed;
  limit: Needed extends 'key' | 'token' ? LimitName : LimitName | null;
  accessOf?: Needed extends 'key' | 'token' ? AccessOf<Input>[Needed] : never;
  /** What a token reports, to be recorded by the statement that looks it up; null where it is none of its own. */
  reportOf?: Needed extends 'key_or_token'
    ? (body: ReadBody<Input['body']>) => UsageKind | null
    : never;
  /** Needs the password or a passkey of the last minutes: for every form that comes, or for some. */
  proof?: Needed extends 'session' | 'operator'
    ? 'fresh' | ((body: ReadBody<Input['body']>) => boolean)
    : never;
  /** What a token must have been granted for. */
  scope?: Scope;
  /** Pages of any site may call it; it reads no cookie. */
  isCrossOrigin?: boolean;
  input: Input;
  /** Success first. */
  statuses: readonly [number, ...number[]];
  errors: readonly ErrorCode[];
  documentation?: Documentation;
  /** Where the usual content security policy does not fit. */
  contentSecurityPolicy?: string;
  handler(call: Call<Input, Needed>): Answer | Promise<Answer>;
};

// Routes of all inputs in one list: what the chain has read is what the handler asked for.
export type Route = Definition<Shapes, Credential>;

export function defineRoute<const Input extends Shapes, Needed extends Credential>(
  definition: Definition<Input, Needed>,
): Route {
  return definition as unknown as Route;
}

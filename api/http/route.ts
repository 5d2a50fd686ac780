import type { HtmlSafeString } from '@prairielearn/html';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import type { Cookie, Cookies } from './cookies.ts';
import type { ErrorCode } from './errors.ts';
import type { Section } from '../html/header.ts';
import type { Flash } from '../html/notices.ts';
import type { Side } from '../html/side.ts';
import type { LimitName, ViewLimit } from './limits.ts';
import type { Services } from '../services.ts';

/** What a handler gets about its caller, by the route's credential. */
type Facts = {
  /** Anyone. */
  public: object;
  /** Anyone; the page shows a signed-in person. */
  optional_session: { currentUser: CurrentUser | null };
  /** A signed-in person; others are sent to sign-in and back. */
  session: { currentUser: CurrentUser };
  /** An operator; for everyone else the page does not exist. */
  operator: { currentUser: CurrentUser };
  /** A product's API key, which the handler checks, counts and reads with in one statement. */
  key: object;
  /** A person's access token; the handler checks it in the same way. */
  token: object;
  /** One of the two. */
  key_or_token: object;
  /** An OAuth client, which the handler reads from the body, counts and proves in this order. */
  client: object;
  /** The payment processor; its signature over the body is checked by the handler. */
  signature: object;
};

export type Credential = keyof Facts;

/**
 * Credentials whose handlers read the request themselves: one statement authenticates, counts and
 * reads.
 */
export const SELF_AUTHENTICATED = ['key', 'token', 'key_or_token', 'client'] as const;

type SelfAuthenticated = (typeof SELF_AUTHENTICATED)[number];

/** `form` and `upload` bodies come from our own pages: they need the page's CSRF token. */
export type Body = {
  kind: 'json' | 'form' | 'upload' | 'bytes';
  shape: z.ZodType;
  limitBytes?: number;
};

export type Shapes = { params?: z.ZodType; query?: z.ZodType; body?: Body };

type Read<Shape> = Shape extends z.ZodType ? z.output<Shape> : undefined;
type ReadBody<Given> = Given extends { shape: infer Shape } ? Read<Shape> : undefined;

/** The context before the body is read. */
export type BareContext = { ctx: Context; services: Services };

type HandlerContext<Input extends Shapes, Needed extends Credential> = BareContext &
  Facts[Needed] &
  (Needed extends SelfAuthenticated
    ? object
    : {
        params: Read<Input['params']>;
        query: Read<Input['query']>;
        body: ReadBody<Input['body']>;
        cookies: Cookies;
      });

/** The context for code that serves any route. */
export type RouteContext = BareContext & { cookies: Cookies; currentUser?: CurrentUser | null };

export type SessionContext = RouteContext & { currentUser: CurrentUser };

export type HttpResponse = {
  status: number;
  headers?: Record<string, string>;
  cookies?: Cookie[];
  type?: string;
  /** A page whose navigation is still to be read is written last. */
  body?: string | Buffer | (() => Promise<string>);
  /** Replaces the body where the content may be long, and comes piece by piece. */
  stream?: AsyncIterable<string | Uint8Array>;
  /** Never compressed. */
  showsSecret?: boolean;
  /** The notice that a later page shows once; null ends the one that this page has shown. */
  flash?: Flash | null;
  /** The code of a refusal, for the request log. */
  errorCode?: string;
};

/** The parts of the site that have a style sheet of their own. */
export type Area = 'store' | 'account' | 'console' | 'docs';

export type View = {
  title: string;
  /** The store's by default. */
  area?: Area;
  /** The link of the header that leads here. */
  section?: Section;
  /** The navigation beside the page; a function reads it when the page is written. */
  side?: Side | (() => Promise<Side>);
  /** The `h1` and what stands beside it, above the tabs of the page. */
  heading?: HtmlSafeString;
  /** One thing is to be done here: the search and most links are left out. */
  isFocused?: boolean;
  /** What the store was searched for. */
  search?: string;
  /** Describes the page for search engines and for previews of a link. */
  description?: string;
  /** The one address of the page, as a path, where several lead to it. */
  canonical?: string;
  /** Search engines leave it out. */
  isNoIndex?: boolean;
  /** The picture in previews of a link. */
  image?: { path: string; width: number; height: number } | null;
  /** Describes the page for search engines, as JSON-LD. */
  structuredData?: Record<string, unknown>;
  content: HtmlSafeString;
  /** Asked for again after so many seconds, while it shows something under way. */
  refreshAfterS?: number;
  /** A key, a secret or a code is in it. */
  showsSecret?: boolean;
  /** The page has copy buttons, which a script of ours serves. */
  hasCopyButtons?: boolean;
};

/** An error of the token endpoint, in the words of OAuth 2.0. */
type OauthFailure = { error: string; error_description: string };

/** The entry in the API reference; pages and assets have none. */
export type Documentation = {
  /** Success first. */
  statuses: readonly [number, ...number[]];
  errors: readonly ErrorCode[];
  /** Generated clients name their function after it. */
  operationId: string;
  tag: string;
  description: string;
  /** What a status means here, where its usual words say too little. */
  meanings?: Record<number, string>;
  /** The answer of the first status, a JSON body. */
  output?: z.ZodType;
  /** The answers are pictures instead, to be revalidated each time. */
  isPicture?: boolean;
  /** The answer is a page. */
  isPage?: boolean;
  requestHeaders?: z.ZodObject;
  /** The query of the reference, where the route itself takes more than callers should send. */
  query?: z.ZodObject;
  /** A body that is a form or JSON. */
  requestBody?: z.ZodObject;
  /** How errors look where they do not have the general shape, by status. */
  refusal?: { shape: z.ZodType } & Partial<Record<400 | 401, readonly OauthFailure[]>>;
  /** True texts of errors, in place of the general ones. */
  errorExamples?: Partial<Record<ErrorCode, { message: string; param?: string }>>;
};

type Method = 'GET' | 'POST';

/** A form that somebody signed in submits says what it asks for: nothing is the default. */
type ProofOf<Input extends Shapes, Needed extends Credential, Used extends Method> = [
  Needed,
  Used,
] extends ['session' | 'operator', 'POST']
  ? { proof: Proof<Input['body']> }
  : { proof?: never };

/** An upload would not survive the confirmation, which carries the fields of a form. */
type Proof<Given> = Given extends { kind: 'upload' }
  ? 'none'
  : 'none' | 'fresh' | ((body: ReadBody<Given>) => boolean);

type Definition<Input extends Shapes, Needed extends Credential, Used extends Method> = {
  method: Used;
  path: string;
  /** People type the address, or a program adds a slash to it. */
  mayEndInSlash?: boolean;
  summary: string;
  credential: Needed;
  limit: Needed extends 'key' | 'token' ? LimitName : LimitName | null;
  /**
   * Lets the handler answer past the limit too, from what the process knows: `ctx.state.overLimit`
   * is set.
   */
  isServedOverLimit?: boolean;
  /** Counts as a view of a page or of a picture, though it reads no session. */
  countsAs?: ViewLimit;
  /** Pages of any site may call it; it reads no cookie. */
  isCrossOrigin?: boolean;
  /** Responses name their bytes by an `ETag`, and are not sent again to a caller that has them. */
  hasEtag?: boolean;
  input: Input;
  documentation?: Documentation;
  /** Replaces the usual content security policy where that does not fit. */
  contentSecurityPolicy?: string;
  handler(context: HandlerContext<Input, Needed>): HttpResponse | Promise<HttpResponse>;
};

// Routes of all inputs in one list: what the chain has read is what the handler asked for.
export type Route = Definition<Shapes, Credential, Method> & {
  /** The password or a passkey of the last minutes: never, for every form, or for some. */
  proof?: 'none' | 'fresh' | ((body: never) => boolean);
};

/** A page for anyone, which shows a signed-in person. */
export const OPEN_PAGE = { method: 'GET', credential: 'optional_session', limit: null } as const;

/** A page for a signed-in person. */
export const SESSION_PAGE = { method: 'GET', credential: 'session', limit: null } as const;

export const OPERATOR_PAGE = { ...SESSION_PAGE, credential: 'operator' } as const;

/** A form of a signed-in person. */
export const SESSION_FORM = { method: 'POST', credential: 'session', limit: 'settings' } as const;

export const OPERATOR_FORM = { ...SESSION_FORM, credential: 'operator' } as const;

export function defineRoute<
  const Input extends Shapes,
  Needed extends Credential,
  Used extends Method,
>(definition: Definition<Input, Needed, Used> & ProofOf<Input, Needed, Used>): Route {
  return definition as unknown as Route;
}

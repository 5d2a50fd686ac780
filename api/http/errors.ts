// Every status and text of a failure, and which faults become which.
import { QueueFull } from '../../platform/fair-queue.ts';

export const ERRORS = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: 'A valid credential is needed.' },
  forbidden: { status: 403, message: 'This is not allowed.' },
  insufficient_scope: { status: 403, message: "The token's scope does not cover this." },
  not_found: { status: 404, message: 'There is nothing here.' },
  conflict: { status: 409, message: 'This was changed at the same time. Try again.' },
  method_not_allowed: { status: 405, message: 'This method is not supported here.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'This type of body is not supported.' },
  rate_limited: { status: 429, message: 'Too many requests. Please wait before the next one.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: {
    status: 503,
    message: 'The service is not available right now. Please try again in a moment.',
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

type Details = {
  message?: string;
  param?: string;
  headers?: Record<string, string>;
  /** The page that this one leads on to. */
  next?: { path: string; label: string };
};

/** The response of an error: a code of the closed list, never the cause. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly headers: Record<string, string>;
  readonly next: Details['next'];

  constructor(code: ErrorCode, { message, param, headers = {}, next }: Details = {}) {
    super(message ?? ERRORS[code].message);
    this.code = code;
    this.param = param;
    this.headers = headers;
    this.next = next;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

export function presentError(httpError: HttpError, requestId: string) {
  const { code, message, param } = httpError;
  return { error: code, message, ...(param ? { param } : {}), request_id: requestId };
}

/** RFC 6750: a challenge, with the error if a credential was given. */
export function unauthorized(given: { wasGiven: boolean; message?: string }): HttpError {
  const { wasGiven, message = ERRORS.unauthorized.message } = given;
  const challenge = wasGiven ? 'Bearer error="invalid_token"' : 'Bearer';
  return new HttpError('unauthorized', { message, headers: { 'www-authenticate': challenge } });
}

/** RFC 6750: the token is valid, and its scope is not enough. */
export function insufficientScope(scope: string): HttpError {
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  return new HttpError('insufficient_scope', { headers: { 'www-authenticate': challenge } });
}

export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof QueueFull) {
    return new HttpError('unavailable', { headers: { 'retry-after': '5' } });
  }
  return new HttpError(isDatabaseAway(error) ? 'unavailable' : 'internal_error');
}

// Connection exceptions, too many connections, shutdown, recovery and timeouts, as PostgreSQL and
// sockets report them.
const AWAY_CODES =
  /^(08(?!P01)...|53300|57P0.|57014|55P03|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
const AWAY_TEXTS =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|not queryable/;

/** Walks the wrappings: the driver's error stands behind the mapper's. */
function isDatabaseAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false;
  const { code, cause, previous, errors } = error as Error & Record<string, unknown>;
  if (typeof code === 'string' && AWAY_CODES.test(code)) return true;
  if (AWAY_TEXTS.test(error.message)) return true;
  const behind = [cause, previous, ...(Array.isArray(errors) ? errors : [])];
  return behind.some((inner) => isDatabaseAway(inner, depth + 1));
}

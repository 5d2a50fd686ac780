import type { z } from 'zod';

type ErrorBody = { type?: string; message: string; code?: string; param?: string };

/** An answer in the shape of Stripe's errors. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = { type: 'invalid_request_error', ...body };
  }
}

/** 404 when it is what the path names, 400 when a parameter names it. */
export function noSuch(
  kind: string,
  { id, param, status }: { id: string; param: string; status: 400 | 404 },
): ApiError {
  const message = `No such ${kind}: '${id}'`;
  return new ApiError(status, { code: 'resource_missing', message, param });
}

/** The first problem that zod found, as Stripe words it. */
export function invalidParameters(error: z.ZodError): ApiError {
  const issue = error.issues[0]!;
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const param = bracketed([...path, issue.keys[0] ?? '']);
    const message = `Received unknown parameter: ${param}`;
    return new ApiError(400, { code: 'parameter_unknown', message, param });
  }
  const param = bracketed(path);
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    const message = `Missing required param: ${param}.`;
    return new ApiError(400, { code: 'parameter_missing', message, param });
  }
  const message = `Invalid ${param}: ${issue.message}`;
  return new ApiError(400, { code: 'parameter_invalid', message, param });
}

function bracketed([first = '', ...rest]: string[]): string {
  return first + rest.map((part) => `[${part}]`).join('');
}

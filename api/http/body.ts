import { isUtf8 } from 'node:buffer';
import type { Context, Middleware } from 'koa';
import getRawBody from 'raw-body';
import { HttpError } from './errors.ts';
import type { Body } from './route.ts';
import type { Services } from '../services.ts';
import { requireCsrfToken } from './csrf.ts';
import { gather, type Fields } from './validate.ts';
import { FRAME_BYTES, incomplete, readUpload, tooLarge } from './upload.ts';

export const LIMIT_BYTES = 64 * 1024;
const UTF_8 = new TextDecoder();

const MEDIA_TYPES: Record<Body['kind'], string> = {
  json: 'application/json',
  bytes: 'application/json',
  form: 'application/x-www-form-urlencoded',
  upload: 'multipart/form-data',
};

/** Fields that may come beside those of a form, and the bytes that they may add. */
export type ExtraFields = { names: readonly string[]; bytes: number };

export const NO_EXTRA_FIELDS: ExtraFields = { names: [], bytes: 0 };

/** Parses the body of a route that declares one. */
export function parseBody(body: Body, services: Services, extra: ExtraFields): Middleware {
  return async (ctx, next) => {
    ctx.state['fields'] =
      body.kind === 'upload'
        ? await readPicture(ctx, { limitBytes: body.limitBytes ?? LIMIT_BYTES, services })
        : await readBody(ctx, body.kind, body.limitBytes, extra);
    return next();
  };
}

/** Size first, then type, then content. */
export async function readBody(
  ctx: Context,
  kind: 'json' | 'form' | 'bytes',
  limitBytes = LIMIT_BYTES,
  extra = NO_EXTRA_FIELDS,
): Promise<unknown> {
  const bytes = await readBytes(ctx, kind, { limitBytes, limit: limitBytes + extra.bytes });
  if (kind === 'bytes') return bytes;
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const text = UTF_8.decode(bytes); // without a byte order mark
  if (kind === 'json') return parseJson(text);
  const fields = parseForm(text);
  const hasExtra = extra.names.some((name) => name in fields);
  if (bytes.length > limitBytes && !hasExtra) throw tooLarge(limitBytes);
  return fields;
}

/** The unparsed content of a body of that type; `limit` may be wider than the limit that a refusal names. */
export async function readBytes(
  ctx: Context,
  kind: 'json' | 'form' | 'bytes',
  { limitBytes, limit } = { limitBytes: LIMIT_BYTES, limit: LIMIT_BYTES },
): Promise<Buffer> {
  requireSizeAndType(ctx, { kind, limitBytes, limit });
  if (ctx.req.destroyed) throw incomplete(); // the caller was gone before the body was read
  return getRawBody(ctx.req, { limit }).catch((error: unknown) => {
    throw toBodyError(error, limitBytes);
  });
}

/** The token comes first, and the rest is read only behind a right one. */
function readPicture(
  ctx: Context,
  { limitBytes, services }: { limitBytes: number; services: Services },
): Promise<Fields<string | Buffer>> {
  requireSizeAndType(ctx, { kind: 'upload', limitBytes, limit: limitBytes + FRAME_BYTES });
  return readUpload(ctx.req, {
    limitBytes,
    validateFirst: (name, value) =>
      requireCsrfToken(ctx, services, { kind: 'session', fields: { [name]: value } }),
  });
}

function requireSizeAndType(
  ctx: Context,
  { kind, limitBytes, limit }: { kind: Body['kind']; limitBytes: number; limit: number },
): void {
  if (Number(ctx.get('content-length')) > limit) throw tooLarge(limitBytes);
  const charset = ctx.request.charset.toLowerCase();
  const isUtf8 = charset === '' || charset === 'utf-8' || charset === 'utf8';
  const isPlain = ctx.get('content-encoding') === '';
  if (ctx.request.type.toLowerCase() === MEDIA_TYPES[kind] && isPlain && isUtf8) return;
  throw wrongType(kind);
}

export function wrongType(kind: Body['kind']): HttpError {
  const message = `The body must be ${MEDIA_TYPES[kind]} in UTF-8, without a content encoding.`;
  return new HttpError('unsupported_media_type', { message });
}

function toBodyError(error: unknown, limitBytes: number): unknown {
  const { type } = error as { type?: string };
  if (type === 'entity.too.large') return tooLarge(limitBytes);
  return type?.startsWith('request.') || type === 'stream.not.readable' ? incomplete() : error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

/** A field given twice stays a list, which no field of a form accepts. */
function parseForm(text: string): Fields<string> {
  try {
    // URLSearchParams would turn bytes that are no text into question marks.
    decodeURIComponent(text);
  } catch {
    throw invalid('The form is not valid UTF-8.');
  }
  return gather(new URLSearchParams(text));
}

function invalid(message: string): HttpError {
  return new HttpError('invalid_request', { message });
}

import { bodyParser } from '@koa/bodyparser';
import type { Context, Middleware } from 'koa';
import getRawBody from 'raw-body';
import { HttpError } from '../../errors.ts';
import type { Body } from '../../route.ts';
import type { Services } from '../../services.ts';
import { requireCsrfToken } from '../csrf.ts';
import { gather, type Fields } from './validate.ts';
import { incomplete, readUpload, tooLarge } from './upload.ts';

const LIMIT_BYTES = 64 * 1024;

const MEDIA_TYPES: Record<Body['kind'], string> = {
  json: 'application/json',
  bytes: 'application/json',
  form: 'application/x-www-form-urlencoded',
  upload: 'multipart/form-data',
};

const parseJson = bodyParser({ enableTypes: ['json'], jsonLimit: LIMIT_BYTES });
// As text: the parser's own forms would nest names with dots and brackets.
const readText = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: [MEDIA_TYPES.form] },
  textLimit: LIMIT_BYTES,
});

/** For routes that declare a body. */
export function parseBody(body: Body, services: Services): Middleware {
  return async (ctx, next) => {
    ctx.state['fields'] =
      body.kind === 'upload'
        ? await readPicture(ctx, { limitBytes: body.limitBytes ?? LIMIT_BYTES, services })
        : await readBody(ctx, body.kind, body.limitBytes);
    return next();
  };
}

/** Size first, then type, then content. */
export async function readBody(
  ctx: Context,
  kind: 'json' | 'form' | 'bytes',
  limitBytes = LIMIT_BYTES,
): Promise<unknown> {
  requireSizeAndType(ctx, { kind, limitBytes });
  if (ctx.req.destroyed) throw incomplete(); // the caller was gone before the body was read
  try {
    if (kind === 'bytes') return await getRawBody(ctx.req, { limit: limitBytes });
    await (kind === 'json' ? parseJson : readText)(ctx, nothing);
  } catch (error) {
    throw toBodyError(error, limitBytes);
  }
  const text = ctx.request.rawBody ?? '';
  // What the parser writes in place of bytes that are no text.
  if (text.includes('\uFFFD')) throw invalid('The body is not valid UTF-8.');
  if (kind === 'form') return parseForm(text);
  if (text === '') throw invalid('The body is not valid JSON.'); // the parser would make it an object
  return ctx.request.body;
}

/** The token comes first, and the rest is read only behind a right one. */
function readPicture(
  ctx: Context,
  { limitBytes, services }: { limitBytes: number; services: Services },
): Promise<Fields<string | Buffer>> {
  requireSizeAndType(ctx, { kind: 'upload', limitBytes });
  return readUpload(ctx.req, {
    limitBytes,
    validateFirst: (name, value) =>
      requireCsrfToken(ctx, services, { kind: 'session', fields: { [name]: value } }),
  });
}

function requireSizeAndType(
  ctx: Context,
  { kind, limitBytes }: { kind: Body['kind']; limitBytes: number },
): void {
  if (Number(ctx.get('content-length')) > limitBytes) throw tooLarge(limitBytes);
  const charset = ctx.request.charset.toLowerCase();
  const isUtf8 = charset === '' || charset === 'utf-8' || charset === 'utf8';
  const isPlain = ctx.get('content-encoding') === '';
  const mediaType = MEDIA_TYPES[kind];
  if (ctx.request.type.toLowerCase() === mediaType && isPlain && isUtf8) return;
  const message = `The body must be ${mediaType} in UTF-8, without a content encoding.`;
  throw new HttpError('unsupported_media_type', { message });
}

function toBodyError(error: unknown, limitBytes: number): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge(limitBytes);
  if (type?.startsWith('request.') || type === 'stream.not.readable') return incomplete();
  return status === 400 ? invalid('The body is not valid JSON.') : error;
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

const nothing = () => Promise.resolve();

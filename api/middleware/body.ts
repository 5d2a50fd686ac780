import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { Failure } from '../errors.ts';
import type { Body } from '../route.ts';
import { gather, type Fields } from './input.ts';
import { incomplete, readUpload, tooLarge, type Reading } from './upload.ts';

const LIMIT_BYTES = 64 * 1024;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const MEDIA_TYPES: Record<Body['kind'], string> = {
  json: 'application/json',
  bytes: 'application/json',
  form: 'application/x-www-form-urlencoded',
  upload: 'multipart/form-data',
};

/** Size first, then type, then content; of an upload the token first, and the rest only behind it. */
export async function readBody(
  ctx: Context,
  body: Pick<Body, 'kind' | 'limitBytes'>,
  judgeToken?: Reading['judgeFirst'],
): Promise<unknown> {
  const limitBytes = body.limitBytes ?? LIMIT_BYTES;
  if (body.kind === 'upload') {
    if (Number(ctx.get('content-length')) > limitBytes) throw tooLarge(limitBytes);
    requireMediaType(ctx, MEDIA_TYPES.upload);
    return readUpload(ctx.req, { limitBytes, judgeFirst: judgeToken! });
  }
  const bytes = await readBytes(ctx, limitBytes);
  requireMediaType(ctx, MEDIA_TYPES[body.kind]);
  if (body.kind === 'bytes') return bytes;
  const text = decode(bytes);
  return body.kind === 'json' ? parseJson(text) : parseForm(text);
}

const NOTHING = Buffer.alloc(0);

/** The last: the caller was gone before anybody read. */
const INCOMPLETE = ['request.aborted', 'request.size.invalid', 'stream.not.readable'];

async function readBytes({ req }: Context, limit: number): Promise<Buffer> {
  // Most have come by now: who waits for the events of a stream pays for them.
  if (req.complete && req.readableLength <= limit) return (req.read() as Buffer | null) ?? NOTHING;
  const { 'content-length': length } = req.headers;
  try {
    return await getRawBody(req, { limit, length: length ?? null });
  } catch (fault) {
    const { type = '' } = fault as { type?: string };
    if (type === 'entity.too.large') throw tooLarge(limit);
    if (INCOMPLETE.includes(type)) throw incomplete();
    throw fault;
  }
}

function requireMediaType(ctx: Context, mediaType: string): void {
  const charset = ctx.request.charset.toLowerCase();
  const isPlain = ctx.get('content-encoding') === '';
  const isUtf8 = charset === '' || charset === 'utf-8' || charset === 'utf8';
  if (ctx.request.type.toLowerCase() === mediaType && isPlain && isUtf8) return;
  const message = `The body must be ${mediaType} in UTF-8, without a content encoding.`;
  throw new Failure('unsupported_media_type', { message });
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Failure('invalid_request', { message: 'The body is not valid UTF-8.' });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('invalid_request', { message: 'The body is not valid JSON.' });
  }
}

/** URLSearchParams would turn bytes that are no text into question marks. */
function requireText(encoded: string): void {
  try {
    decodeURIComponent(encoded);
  } catch {
    throw new Failure('invalid_request', { message: 'The form is not valid UTF-8.' });
  }
}

/** A field given twice stays a list, which no field of a form accepts. */
function parseForm(text: string): Fields<string> {
  if (text.includes('%')) requireText(text);
  return gather(new URLSearchParams(text));
}

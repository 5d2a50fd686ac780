import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Answer } from '../route.ts';

/** An answer that names its bytes; who has them already is told so, and not sent them again. */
export function withEtag(ctx: Context, answer: Answer & { body: string }): Answer {
  const etag = `"${hash('sha256', answer.body, 'base64url')}"`;
  const headers = { ...answer.headers, etag };
  return isKnown(ctx.get('if-none-match'), etag)
    ? { status: 304, headers }
    : { ...answer, headers };
}

/** RFC 9110 13.1.2: a list, compared weakly, as caches and compressing proxies weaken what they pass on. */
function isKnown(given: string, etag: string): boolean {
  if (given === '') return false;
  const tags = given.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

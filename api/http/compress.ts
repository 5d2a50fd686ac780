import type { Middleware } from 'koa';
import koaCompress from 'koa-compress';

const ANYTHING = new Set(['', '*']);

/** A request that refuses every encoding gets plain bytes: koa-compress would fail on it. */
export function compress(): Middleware {
  const compressBody = koaCompress({ deflate: false, zstd: false });
  return (ctx, next) => {
    const accepted = ctx.get('accept-encoding');
    if (!ANYTHING.has(accepted)) {
      ctx.req.headers['accept-encoding'] = `${accepted}, identity;q=0.001`;
    }
    return compressBody(ctx, next);
  };
}

import type { Middleware } from 'koa';
import { randomText } from '../../domain/shared/ids.ts';

/** Each response names its request; an incoming id is ignored. */
export function requestId(): Middleware {
  return (ctx, next) => {
    ctx.state['requestId'] = `req_${randomText(24)}`;
    ctx.set('x-request-id', ctx.state['requestId'] as string);
    return next();
  };
}

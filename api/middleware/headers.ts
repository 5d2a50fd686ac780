import type { Context } from 'koa';

export type Headers = Record<string, string | string[]>;

/** Headers that go out with whatever is answered, a failure too. */
export function headersOf(ctx: Context): Headers {
  return ctx.state['headers'] as Headers;
}

import { readFileSync } from 'node:fs';
import Koa, { type Context, type Next } from 'koa';
import type pg from 'pg';
import { newSecret } from '../../domain/shared/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { ApiError } from './api/api-error.ts';
import { createApiRoutes } from './api/api.routes.ts';
import { reasonOf } from './delivery-loop.ts';
import { createBillingRoutes } from './page/billing.routes.ts';
import { createConnectRoutes } from './page/connect.routes.ts';
import { missingPage } from './page/pay.page.ts';
import { createKnobRoutes } from './knobs/knobs.routes.ts';
import type { HeldOrder } from './knobs/knob.repository.ts';
import { createPayRoutes, show } from './page/pay.routes.ts';

type Options = {
  pool: pg.Pool;
  log: Logger;
  secretKey: string;
  publicUrl(): string;
  wake(): void;
  release(order: HeldOrder): Promise<number>;
};

export function createApp(options: Options): Koa {
  const app = new Koa();
  app.on('error', (error: unknown) => {
    options.log.error({ problem: reasonOf(error) }, 'request failed');
  });
  app.use(protect);
  app.use(answerFaults);
  app.use(createApiRoutes(options).routes());
  app.use(createKnobRoutes(options).routes());
  app.use(createConnectRoutes(options).routes());
  app.use(createBillingRoutes(options).routes());
  app.use(createPayRoutes({ ...options, stylesheet: readStylesheet() }).routes());
  app.use((ctx) => {
    if (!isApi(ctx)) return show(ctx, 404, missingPage());
    const message = `Unrecognized request URL (${ctx.method}: ${ctx.path}).`;
    throw new ApiError(404, { message });
  });
  return app;
}

/** No `form-action`: browsers apply it to the redirect to the shop as well. */
async function protect(ctx: Context, next: Next): Promise<void> {
  ctx.set({
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'request-id': `req_${newSecret().slice(0, 14)}`,
  });
  await next();
}

async function answerFaults(ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (!isApi(ctx)) throw error;
    const answer = error instanceof ApiError ? error : translate(error as { status?: number });
    if (answer.status >= 500) ctx.app.emit('error', error, ctx);
    ctx.status = answer.status;
    ctx.body = { error: answer.body };
  }
}

function translate({ status = 500 }: { status?: number }): ApiError {
  return status < 500
    ? new ApiError(status, { message: 'Invalid request.' })
    : new ApiError(500, { type: 'api_error', message: 'The simulator has failed.' });
}

function isApi(ctx: Context): boolean {
  return /^\/(v1|knobs)\//.test(ctx.path);
}

function readStylesheet(): string {
  return readFileSync(new URL('simulator.css', import.meta.url), 'utf8');
}

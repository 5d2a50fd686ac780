import Router from '@koa/router';
import type pg from 'pg';
import { findAccount, findAccountLink, finishOnboarding } from '../records/account.repository.ts';
import { readText } from '../body.ts';
import { connectPage, readState } from './connect.page.ts';
import { missingPage } from './pay.page.ts';
import { sendTo, show } from './pay.routes.ts';

/** The pages that an account link leads to: a link that is over leads back for another one. */
export function createConnectRoutes({ pool, wake }: { pool: pg.Pool; wake(): void }): Router {
  const router = new Router();
  router.param('token', (token, ctx, next) =>
    /^[0-9A-Za-z]{1,200}$/.test(token) ? next() : show(ctx, 404, missingPage()),
  );

  router.get('/connect/:token', async (ctx) => {
    const link = await findAccountLink(pool, ctx.params['token']!);
    if (!link) return show(ctx, 404, missingPage());
    if (link.is_over) return sendTo(ctx, link.refresh_url);
    show(ctx, 200, connectPage(link, (await findAccount(pool, link.account_id))!));
  });

  router.post('/connect/:token', async (ctx) => {
    const token = ctx.params['token']!;
    const state = readState(await readText(ctx.req));
    const link = await findAccountLink(pool, token);
    if (!link) return show(ctx, 404, missingPage());
    if (state === null) return sendTo(ctx, `/connect/${token}`);
    const isDone = await finishOnboarding(pool, { token, state });
    if (isDone) wake();
    sendTo(ctx, isDone ? link.return_url : link.refresh_url);
  });

  return router;
}

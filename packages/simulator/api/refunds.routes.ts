import type Router from '@koa/router';
import type pg from 'pg';
import { findRefund, insertRefund, listRefunds } from '../records/refund.repository.ts';
import { presentRefund } from '../stripe-objects.ts';
import { noSuch } from './api-error.ts';
import { create, parseParameters, presentPage } from './calls.ts';
import { refundListParameters, refundParameters } from './parameters.ts';

export function addRefundRoutes(router: Router, { pool, wake }: { pool: pg.Pool; wake(): void }) {
  router.post('/refunds', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: refundParameters }, async (client, given) =>
      presentRefund(await insertRefund(client, given)),
    );
    wake();
  });

  router.get('/refunds', async (ctx) => {
    const asked = parseParameters(refundListParameters, ctx.querystring);
    const found = await listRefunds(pool, asked);
    const page = { url: '/v1/refunds', limit: asked.limit, present: presentRefund };
    ctx.body = presentPage(found, page);
  });

  router.get('/refunds/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const refund = await findRefund(pool, id);
    if (!refund) throw noSuch('refund', { id, param: 'refund', status: 404 });
    ctx.body = presentRefund(refund);
  });
}

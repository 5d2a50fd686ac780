import type Router from '@koa/router';
import type pg from 'pg';
import { findDispute, listDisputes } from '../dispute.store.ts';
import { presentDispute } from '../stripe-objects.ts';
import { noSuch } from './api-error.ts';

/** Disputes as Stripe shows them; banks open and decide them, which is for the knobs. */
export function addDisputeRoutes(router: Router, pool: pg.Pool): void {
  router.get('/disputes', async (ctx) => {
    const intentId = new URLSearchParams(ctx.querystring).get('payment_intent');
    const data = (await listDisputes(pool, intentId)).map(presentDispute);
    ctx.body = { object: 'list', url: '/v1/disputes', has_more: false, data };
  });

  router.get('/disputes/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const dispute = await findDispute(pool, id);
    if (!dispute) throw noSuch('dispute', { id, param: 'dispute', status: 404 });
    ctx.body = presentDispute(dispute);
  });
}

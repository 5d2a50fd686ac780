import type Router from '@koa/router';
import type pg from 'pg';
import { findDispute, listDisputes } from '../records/dispute.repository.ts';
import { presentDispute } from '../stripe-disputes.ts';
import { noSuch } from './api-error.ts';
import { parseParameters, presentPage } from './calls.ts';
import { disputeListParameters } from './parameters.ts';

/** Disputes as Stripe shows them; banks open and decide them, which is for the knobs. */
export function addDisputeRoutes(router: Router, pool: pg.Pool): void {
  router.get('/disputes', async (ctx) => {
    const asked = parseParameters(disputeListParameters, ctx.querystring);
    const found = await listDisputes(pool, asked);
    const page = { url: '/v1/disputes', limit: asked.limit, present: presentDispute };
    ctx.body = presentPage(found, page);
  });

  router.get('/disputes/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const dispute = await findDispute(pool, id);
    if (!dispute) throw noSuch('dispute', { id, param: 'dispute', status: 404 });
    ctx.body = presentDispute(dispute);
  });
}

import { setTimeout as pause } from 'node:timers/promises';
import type Router from '@koa/router';
import type pg from 'pg';
import { ApiError } from '../api/api-error.ts';
import { create, findNamed, list } from '../api/calls.ts';
import { transferListParameters, transferParameters } from '../api/parameters.ts';
import {
  findTransfer,
  insertTransfer,
  listTransfers,
  presentTransfer,
  takeTransferFate,
} from './transfer.repository.ts';

/** Transfers from the platform to the accounts of sellers. */
export function addTransferRoutes(router: Router, pool: pg.Pool): void {
  router.post('/transfers', async (ctx) => {
    const { fate, seconds } = await takeTransferFate(pool);
    if (fate === 'refuse') throw withoutBalance();
    ctx.body = await create(ctx, { pool, parameters: transferParameters }, async (client, given) =>
      presentTransfer(await insertTransfer(client, given)),
    );
    if (fate === 'delay') await pause(seconds * 1_000);
    if (fate !== 'drop') return;
    ctx.respond = false;
    ctx.req.socket.destroy();
  });

  router.get('/transfers', async (ctx) => {
    ctx.body = await list(ctx, transferListParameters, async (query) =>
      (await listTransfers(pool, query)).map(presentTransfer),
    );
  });

  router.get('/transfers/:id', async (ctx) => {
    ctx.body = presentTransfer(await findNamed(ctx, 'transfer', (id) => findTransfer(pool, id)));
  });
}

/** The platform may have no money there at the moment. */
function withoutBalance(): ApiError {
  return new ApiError(400, {
    code: 'balance_insufficient',
    message: 'You have insufficient available funds in your Stripe account.',
  });
}

import { setTimeout as pause } from 'node:timers/promises';
import type Router from '@koa/router';
import type pg from 'pg';
import { z } from 'zod';
import { ApiError, noSuch } from '../api/api-error.ts';
import { create, parseParameters, presentPage } from '../api/calls.ts';
import { amount, currency, id, metadata, pageLimit } from '../api/parameters.ts';
import { takeTransferFate } from './transfer-knob.repository.ts';
import {
  findTransfer,
  insertTransfer,
  listTransfers,
  presentTransfer,
} from './transfer.repository.ts';

const parameters = z.strictObject({
  amount,
  currency,
  destination: id,
  transfer_group: id.optional(),
  metadata,
});

const listParameters = z.strictObject({
  transfer_group: id.optional(),
  destination: id.optional(),
  starting_after: id.optional(),
  limit: pageLimit,
});

/** Transfers from the platform to the accounts of sellers. */
export function addTransferRoutes(router: Router, pool: pg.Pool): void {
  router.post('/transfers', async (ctx) => {
    const { fate, seconds } = await takeTransferFate(pool);
    if (fate === 'refuse') throw withoutBalance();
    ctx.body = await create(ctx, { pool, parameters }, async (client, given) =>
      presentTransfer(await insertTransfer(client, given)),
    );
    if (fate === 'delay') await pause(seconds * 1_000);
    if (fate !== 'drop') return;
    ctx.respond = false;
    ctx.req.socket.destroy();
  });

  router.get('/transfers', async (ctx) => {
    const asked = parseParameters(listParameters, ctx.querystring);
    const found = await listTransfers(pool, asked);
    const page = { url: '/v1/transfers', limit: asked.limit, present: presentTransfer };
    ctx.body = presentPage(found, page);
  });

  router.get('/transfers/:id', async (ctx) => {
    const transferId = ctx.params['id']!;
    const transfer = await findTransfer(pool, transferId);
    if (!transfer) throw noSuch('transfer', { id: transferId, param: 'transfer', status: 404 });
    ctx.body = presentTransfer(transfer);
  });
}

/** The platform may have no money there at the moment. */
function withoutBalance(): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    code: 'balance_insufficient',
    message: 'You have insufficient available funds in your Stripe account.',
  });
}

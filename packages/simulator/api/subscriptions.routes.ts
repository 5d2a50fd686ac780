import type Router from '@koa/router';
import type pg from 'pg';
import {
  presentCustomer,
  presentPortalSession,
  presentSubscription,
} from '../billing/billing-objects.ts';
import { insertPortalSession } from '../billing/portal.repository.ts';
import { catchUp } from '../billing/renewal.ts';
import {
  endSubscription,
  findSubscription,
  findSubscriptionOfCustomer,
  lockSubscription,
  movePayouts,
  planEnd,
} from '../billing/subscription.repository.ts';
import { transaction, type Transaction } from '../database.ts';
import { ApiError, noSuch } from './api-error.ts';
import { create, findNamed } from './calls.ts';
import { requireAccount } from './destination.ts';
import { portalParameters, subscriptionParameters } from './parameters.ts';

type Options = { pool: pg.Pool; publicUrl(): string; wake(): void };

/** Subscriptions, their customers, and the page where a customer changes the card. */
export function addSubscriptionRoutes(router: Router, { pool, publicUrl, wake }: Options): void {
  router.get('/subscriptions/:id', async (ctx) => {
    const find = (id: string) => findSubscription(pool, id);
    ctx.body = presentSubscription(await findNamed(ctx, 'subscription', find));
  });

  router.post('/subscriptions/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const call = { pool, parameters: subscriptionParameters };
    await catchUp(pool, id);
    ctx.body = await create(ctx, call, async (client, given) => {
      await lockRunning(client, id, onlyDetails);
      const { cancel_at_period_end: isCancel, transfer_data: payouts } = given;
      if (isCancel !== undefined) await planEnd(client, { id, isCancel });
      if (payouts) {
        const { destination } = payouts;
        await requireAccount(client, { id: destination, param: 'transfer_data[destination]' });
        const feePercent = given.application_fee_percent ?? null;
        await movePayouts(client, { id, destination, feePercent });
      }
      return presentSubscription((await findSubscription(client, id))!);
    });
    wake();
  });

  router.delete('/subscriptions/:id', async (ctx) => {
    const id = ctx.params['id']!;
    await catchUp(pool, id);
    ctx.body = await transaction(pool, async (client) => {
      const { read_at: at } = await lockRunning(client, id, () => noSubscription(id));
      await endSubscription(client, { id, at });
      return presentSubscription((await findSubscription(client, id))!);
    });
    wake();
  });

  router.get('/customers/:id', async (ctx) => {
    const find = (id: string) => findSubscriptionOfCustomer(pool, id);
    ctx.body = presentCustomer(await findNamed(ctx, 'customer', find));
  });

  router.post('/billing_portal/sessions', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: portalParameters }, async (client, given) => {
      const id = given.customer;
      const found = await findSubscriptionOfCustomer(client, id);
      if (!found) throw noSuch('customer', { id, param: 'customer', status: 400 });
      return presentPortalSession(await insertPortalSession(client, given), publicUrl());
    });
  });
}

async function lockRunning(client: Transaction, id: string, whenEnded: () => ApiError) {
  const subscription = await lockSubscription(client, id);
  if (!subscription) throw noSubscription(id);
  if (subscription.status === 'canceled') throw whenEnded();
  return subscription;
}

function noSubscription(id: string): ApiError {
  return noSuch('subscription', { id, param: 'id', status: 404 });
}

function onlyDetails(): ApiError {
  return new ApiError(400, {
    message: 'A canceled subscription can only update its cancellation_details and metadata.',
  });
}

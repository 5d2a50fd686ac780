import Router from '@koa/router';
import type { Context, Next } from 'koa';
import type pg from 'pg';
import { isSameSecret } from '../../../domain/shared/secrets.ts';
import { ApiError, noSuch } from './api-error.ts';
import { readText } from '../body.ts';
import { findAccount, insertAccount, insertAccountLink } from '../records/account.repository.ts';
import { findPayout, presentPayout } from '../records/payout.repository.ts';
import { findSession, findSessionOfIntent, insertSession } from '../records/checkout.repository.ts';
import type { Transaction } from '../database.ts';
import { addDisputeRoutes } from './disputes.routes.ts';
import { requireAccount } from './destination.ts';
import { create, parseParameters } from './calls.ts';
import { addInvoiceRoutes } from './invoices.routes.ts';
import { addRefundRoutes } from './refunds.routes.ts';
import { addSubscriptionRoutes } from './subscriptions.routes.ts';
import { findInvoice } from '../billing/invoice.repository.ts';
import { presentInvoiceWithPayments } from '../billing/billing-objects.ts';
import {
  accountLinkParameters,
  accountParameters,
  noParameters,
  sessionParameters,
  type SessionParameters,
} from './parameters.ts';
import { expireSession } from '../settlement.ts';
import { presentAccount, presentAccountLink } from '../stripe-accounts.ts';
import { addTransferRoutes } from '../transfers/transfers.routes.ts';
import {
  presentCharge,
  presentIntent,
  presentSession,
  type SessionRow,
} from '../stripe-objects.ts';

type Options = { pool: pg.Pool; secretKey: string; publicUrl(): string; wake(): void };

/** The part of Stripe's API that the processor adapter calls. */
export function createApiRoutes(options: Options): Router {
  const { pool } = options;
  const router = new Router({ prefix: '/v1' });
  router.use(requireKey(options.secretKey));

  router.post('/accounts', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: accountParameters }, async (client, given) =>
      presentAccount(await insertAccount(client, given.email)),
    );
  });

  router.get('/accounts/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const account = await findAccount(pool, id);
    if (!account) throw noSuch('account', { id, param: 'account', status: 404 });
    ctx.body = presentAccount(account);
  });

  router.get('/payouts/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const payout = await findPayout(pool, { id, account: ctx.get('stripe-account') });
    if (!payout) throw noSuch('payout', { id, param: 'payout', status: 404 });
    ctx.body = presentPayout(payout);
  });

  router.post('/account_links', async (ctx) => {
    ctx.body = await create(
      ctx,
      { pool, parameters: accountLinkParameters },
      async (client, given) => {
        const id = given.account;
        const account = await findAccount(client, id);
        if (!account) throw noSuch('account', { id, param: 'account', status: 400 });
        return presentAccountLink(await insertAccountLink(client, given), options.publicUrl());
      },
    );
  });

  router.post('/checkout/sessions', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: sessionParameters }, async (client, given) => {
      await requireDestination(client, given);
      return presentSession(await insertSession(client, given), options.publicUrl());
    });
  });

  router.get('/checkout/sessions/:id', async (ctx) => {
    const session = await loadSession(pool, ctx.params['id']!);
    const presented = presentSession(session, options.publicUrl());
    ctx.body = { ...presented, ...(await expand(ctx, { pool, session })) };
  });

  router.post('/checkout/sessions/:id/expire', async (ctx) => {
    parseParameters(noParameters, await readText(ctx.req));
    const id = ctx.params['id']!;
    const isExpired = await expireSession(pool, id);
    const session = await loadSession(pool, id);
    if (!isExpired) throw notOpen(session);
    options.wake();
    ctx.body = presentSession(session, options.publicUrl());
  });

  router.get('/payment_intents/:id', async (ctx) => {
    const id = ctx.params['id']!;
    const session = await findSessionOfIntent(pool, id);
    if (!session?.intent) throw noSuch('payment_intent', { id, param: 'intent', status: 404 });
    const intent = presentIntent(session, session.intent);
    const isInFull = isExpanded(ctx, 'latest_charge.balance_transaction');
    const charge = isInFull ? presentCharge(session, session.intent) : intent.latest_charge;
    ctx.body = { ...intent, latest_charge: charge };
  });

  addDisputeRoutes(router, pool);
  addInvoiceRoutes(router, pool);
  addSubscriptionRoutes(router, options);
  addRefundRoutes(router, options);
  addTransferRoutes(router, pool);
  return router;
}

function requireKey(secretKey: string) {
  return (ctx: Context, next: Next) => {
    if (isSameSecret(ctx.get('authorization'), `Bearer ${secretKey}`)) return next();
    throw new ApiError(401, {
      type: 'invalid_request_error',
      message: 'Invalid API Key provided.',
    });
  };
}

async function requireDestination(client: Transaction, given: SessionParameters): Promise<void> {
  const place = given.mode === 'payment' ? 'payment_intent_data' : 'subscription_data';
  const id = given[place]?.transfer_data?.destination;
  if (id === undefined) return;
  await requireAccount(client, { id, param: `${place}[transfer_data][destination]` });
}

async function loadSession(pool: pg.Pool, id: string): Promise<SessionRow> {
  const session = await findSession(pool, id);
  if (!session) throw noSuch('checkout.session', { id, param: 'session', status: 404 });
  return session;
}

/** What the answer shall show in full: the payment, or the first invoice with its payments. */
async function expand(ctx: Context, { pool, session }: { pool: pg.Pool; session: SessionRow }) {
  if (session.recurring_interval === null) {
    if (!isExpanded(ctx, 'payment_intent') || !session.intent) return {};
    return { payment_intent: presentIntent(session, session.intent) };
  }
  if (!isExpanded(ctx, 'invoice.payments') || session.invoice_id === null) return {};
  return { invoice: presentInvoiceWithPayments((await findInvoice(pool, session.invoice_id))!) };
}

function isExpanded(ctx: Context, wanted: string): boolean {
  const query = [...new URLSearchParams(ctx.querystring)];
  return query.some(([key, value]) => key.startsWith('expand[') && value === wanted);
}

function notOpen(session: SessionRow): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    message: `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
  });
}

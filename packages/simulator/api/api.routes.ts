import Router from '@koa/router';
import type { Context, Next } from 'koa';
import type pg from 'pg';
import { isSameSecret } from '../../../domain/shared/secrets.ts';
import { presentInvoice, presentInvoiceWithPayments } from '../billing/billing-objects.ts';
import { findInvoice, listInvoices } from '../billing/invoice.repository.ts';
import { readText } from '../body.ts';
import type { Transaction } from '../database.ts';
import { findAccount, insertAccount, insertAccountLink } from '../records/account.repository.ts';
import { findSession, findSessionOfIntent, insertSession } from '../records/checkout.repository.ts';
import { findDispute, listDisputes } from '../records/dispute.repository.ts';
import { findPayout, presentPayout } from '../records/payout.repository.ts';
import { findRefund, insertRefund, listRefunds } from '../records/refund.repository.ts';
import { expireSession } from '../settlement.ts';
import { presentAccount, presentAccountLink } from '../stripe-accounts.ts';
import { presentDispute } from '../stripe-disputes.ts';
import {
  presentCharge,
  presentIntent,
  presentRefund,
  presentSession,
  type SessionRow,
} from '../stripe-objects.ts';
import { addTransferRoutes } from '../transfers/transfers.routes.ts';
import { ApiError, noSuch } from './api-error.ts';
import { create, findNamed, list, parseParameters } from './calls.ts';
import { requireAccount } from './destination.ts';
import {
  accountLinkParameters,
  accountParameters,
  disputeListParameters,
  invoiceListParameters,
  noParameters,
  refundListParameters,
  refundParameters,
  sessionParameters,
  type SessionParameters,
} from './parameters.ts';
import { addSubscriptionRoutes } from './subscriptions.routes.ts';

type Options = { pool: pg.Pool; secretKey: string; publicUrl(): string; wake(): void };

/** The part of Stripe's API that the processor adapter calls. */
export function createApiRoutes(options: Options): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireKey(options.secretKey));
  addAccountRoutes(router, options);
  addCheckoutRoutes(router, options);
  addReturnRoutes(router, options);
  addSubscriptionRoutes(router, options);
  addInvoiceRoutes(router, options);
  addTransferRoutes(router, options.pool);
  return router;
}

function requireKey(secretKey: string) {
  return (ctx: Context, next: Next) => {
    if (isSameSecret(ctx.get('authorization'), `Bearer ${secretKey}`)) return next();
    throw new ApiError(401, { message: 'Invalid API Key provided.' });
  };
}

function addAccountRoutes(router: Router, { pool, publicUrl }: Options): void {
  router.post('/accounts', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: accountParameters }, async (client, given) =>
      presentAccount(await insertAccount(client, given.email)),
    );
  });

  router.get('/accounts/:id', async (ctx) => {
    ctx.body = presentAccount(await findNamed(ctx, 'account', (id) => findAccount(pool, id)));
  });

  router.post('/account_links', async (ctx) => {
    const call = { pool, parameters: accountLinkParameters };
    ctx.body = await create(ctx, call, async (client, given) => {
      const id = given.account;
      const account = await findAccount(client, id);
      if (!account) throw noSuch('account', { id, param: 'account', status: 400 });
      return presentAccountLink(await insertAccountLink(client, given), publicUrl());
    });
  });

  router.get('/payouts/:id', async (ctx) => {
    const account = ctx.get('stripe-account');
    const find = (id: string) => findPayout(pool, { id, account });
    ctx.body = presentPayout(await findNamed(ctx, 'payout', find));
  });
}

function addCheckoutRoutes(router: Router, { pool, publicUrl, wake }: Options): void {
  const loadSession = (ctx: Context) =>
    findNamed(ctx, 'checkout.session', (id) => findSession(pool, id));

  router.post('/checkout/sessions', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: sessionParameters }, async (client, given) => {
      await requireDestination(client, given);
      return presentSession(await insertSession(client, given), publicUrl());
    });
  });

  router.get('/checkout/sessions/:id', async (ctx) => {
    const session = await loadSession(ctx);
    const presented = presentSession(session, publicUrl());
    ctx.body = { ...presented, ...(await expand(ctx, { pool, session })) };
  });

  router.post('/checkout/sessions/:id/expire', async (ctx) => {
    parseParameters(noParameters, await readText(ctx.req));
    const isExpired = await expireSession(pool, ctx.params['id']!);
    const session = await loadSession(ctx);
    if (!isExpired) throw notOpen(session);
    wake();
    ctx.body = presentSession(session, publicUrl());
  });

  router.get('/payment_intents/:id', async (ctx) => {
    const find = async (id: string) => {
      const session = await findSessionOfIntent(pool, id);
      return session?.intent ? { session, intent: session.intent } : undefined;
    };
    const { session, intent } = await findNamed(ctx, 'payment_intent', find);
    const presented = presentIntent(session, intent);
    const isInFull = isExpanded(ctx, 'latest_charge.balance_transaction');
    const charge = isInFull ? presentCharge(session, intent) : presented.latest_charge;
    ctx.body = { ...presented, latest_charge: charge };
  });
}

async function requireDestination(client: Transaction, given: SessionParameters): Promise<void> {
  const place = given.mode === 'payment' ? 'payment_intent_data' : 'subscription_data';
  const id = given[place]?.transfer_data?.destination;
  if (id === undefined) return;
  await requireAccount(client, { id, param: `${place}[transfer_data][destination]` });
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
    message: `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
  });
}

/** Refunds, and disputes as Stripe shows them; banks open and decide these, which is for the knobs. */
function addReturnRoutes(router: Router, { pool, wake }: Options): void {
  router.post('/refunds', async (ctx) => {
    ctx.body = await create(ctx, { pool, parameters: refundParameters }, async (client, given) =>
      presentRefund(await insertRefund(client, given)),
    );
    wake();
  });

  router.get('/refunds', async (ctx) => {
    ctx.body = await list(ctx, refundListParameters, async (query) =>
      (await listRefunds(pool, query)).map(presentRefund),
    );
  });

  router.get('/refunds/:id', async (ctx) => {
    ctx.body = presentRefund(await findNamed(ctx, 'refund', (id) => findRefund(pool, id)));
  });

  router.get('/disputes', async (ctx) => {
    ctx.body = await list(ctx, disputeListParameters, async (query) =>
      (await listDisputes(pool, query)).map(presentDispute),
    );
  });

  router.get('/disputes/:id', async (ctx) => {
    ctx.body = presentDispute(await findNamed(ctx, 'dispute', (id) => findDispute(pool, id)));
  });
}

/** The bills of subscriptions; they are made by the clock alone. */
function addInvoiceRoutes(router: Router, { pool }: Options): void {
  router.get('/invoices', async (ctx) => {
    ctx.body = await list(ctx, invoiceListParameters, async (query) =>
      (await listInvoices(pool, query)).map(
        query.expand ? presentInvoiceWithPayments : presentInvoice,
      ),
    );
  });

  router.get('/invoices/:id', async (ctx) => {
    ctx.body = presentInvoice(await findNamed(ctx, 'invoice', (id) => findInvoice(pool, id)));
  });
}

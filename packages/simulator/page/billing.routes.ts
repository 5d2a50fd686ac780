import Router from '@koa/router';
import type { Context } from 'koa';
import type pg from 'pg';
import { changeCard, findPortalSession, type CardChange } from '../billing/portal.repository.ts';
import { findSubscriptionOfCustomer } from '../billing/subscription.repository.ts';
import { readText } from '../body.ts';
import { cardPage, overPage } from './billing.page.ts';
import { fillForm, findProblem, readForm, type Problem } from './card-form.ts';
import { findCard } from './cards.ts';
import { missingPage } from './pay.page.ts';
import { sendTo, show } from './pay.routes.ts';

const REFUSALS: Partial<Record<CardChange, Problem>> = {
  declined: { field: 'card_number', text: 'The card was declined. Your current card is kept.' },
  unpaid: {
    field: 'card_number',
    text: 'The card was saved, but the unpaid amount could not be charged. Try another card.',
  },
};

/** The page of the billing portal where a subscription gets another card. */
export function createBillingRoutes({ pool, wake }: { pool: pg.Pool; wake(): void }): Router {
  const router = new Router();
  router.param('token', (token, ctx, next) =>
    /^[0-9A-Za-z]{1,200}$/.test(token) ? next() : show(ctx, 404, missingPage()),
  );

  router.get('/billing/:token', async (ctx) => {
    const open = await findOpen(ctx, { pool, token: ctx.params['token']! });
    if (!open) return;
    const form = fillForm(findCard(String(ctx.query['card'] ?? '')));
    show(ctx, 200, cardPage({ ...open, form, problem: null }));
  });

  router.post('/billing/:token', async (ctx) => {
    const form = readForm(await readText(ctx.req));
    const open = await findOpen(ctx, { pool, token: ctx.params['token']!, overStatus: 409 });
    if (!open) return;
    const card = findCard(form.card_number);
    const problem = findProblem(form);
    if (!card || problem) return show(ctx, 422, cardPage({ ...open, form, problem }));
    const change = await changeCard(pool, { id: open.subscription.id, card: card.outcome });
    wake();
    if (change === 'over') return show(ctx, 409, overPage(open.portal));
    const refusal = REFUSALS[change];
    if (refusal) return show(ctx, 402, cardPage({ ...open, form, problem: refusal }));
    sendTo(ctx, open.portal.return_url);
  });

  return router;
}

type OpenPage = { pool: pg.Pool; token: string; overStatus?: number };

/** Returns undefined once it has answered that there is nothing to change, or no such page. */
async function findOpen(ctx: Context, { pool, token, overStatus = 200 }: OpenPage) {
  const portal = await findPortalSession(pool, token);
  if (!portal) return void show(ctx, 404, missingPage());
  const subscription = await findSubscriptionOfCustomer(pool, portal.customer_id);
  const isOver = portal.is_over || subscription?.status === 'canceled';
  if (!subscription || isOver) return void show(ctx, overStatus, overPage(portal));
  return { portal, subscription };
}

import Router from '@koa/router';
import type { HtmlSafeString } from '@prairielearn/html';
import type { Context } from 'koa';
import type pg from 'pg';
import { readText } from '../body.ts';
import { fillForm, findProblem, readForm } from './card-form.ts';
import { findCard } from './cards.ts';
import { attemptPayment, findSession } from '../records/checkout.repository.ts';
import { authenticationPage, closedPage, missingPage, payPage } from './pay.page.ts';
import type { SessionRow } from '../stripe-objects.ts';

type Options = { pool: pg.Pool; stylesheet: string; wake(): void };

const DECLINED = 'The card was declined. Nothing was charged. Try another card.';

/** The hosted checkout page: a plain form, no script. */
export function createPayRoutes(options: Options): Router {
  const { pool } = options;
  const router = new Router();
  router.param('session', (id, ctx, next) =>
    /^cs_test_[0-9A-Za-z]{1,200}$/.test(id) ? next() : show(ctx, 404, missingPage()),
  );

  router.get('/simulator.css', (ctx) => {
    ctx.set('cache-control', 'public, max-age=300');
    ctx.type = 'text/css';
    ctx.body = options.stylesheet;
  });

  router.get('/pay/:session', async (ctx) => {
    const session = await findSession(pool, ctx.params['session']!);
    if (!session) return show(ctx, 404, missingPage());
    if (isClosed(session)) return show(ctx, 200, closedPage(session, successUrlOf(session)));
    const chosen = findCard(String(ctx.query['card'] ?? ''));
    const wasDeclined = session.intent?.error_code && !chosen;
    const problem = wasDeclined ? { text: DECLINED } : null;
    show(ctx, 200, payPage({ session, form: fillForm(chosen), problem }));
  });

  router.post('/pay/:session', async (ctx) => {
    const form = readForm(await readText(ctx.req));
    const session = await findSession(pool, ctx.params['session']!);
    if (!session) return show(ctx, 404, missingPage());
    const refuse = (closed: SessionRow) => show(ctx, 409, closedPage(closed, successUrlOf(closed)));
    if (isClosed(session)) return refuse(session);
    const card = findCard(form.card_number);
    const problem = findProblem(form);
    if (!card || problem) return show(ctx, 422, payPage({ session, form, problem }));
    const isTaken = await attemptPayment(pool, { sessionId: session.id, outcome: card.outcome });
    if (!isTaken) return refuse((await findSession(pool, session.id))!);
    options.wake();
    if (card.outcome === 'declined') {
      const declined = { field: 'card_number', text: DECLINED } as const;
      return show(ctx, 402, payPage({ session, form, problem: declined }));
    }
    const isAsked = card.outcome === 'needs_authentication';
    sendTo(ctx, isAsked ? `/pay/${session.id}/authenticate` : successUrlOf(session));
  });

  router.get('/pay/:session/authenticate', async (ctx) => {
    const session = await findSession(pool, ctx.params['session']!);
    if (!session) return show(ctx, 404, missingPage());
    if (session.intent?.status !== 'requires_action') return sendTo(ctx, `/pay/${session.id}`);
    show(ctx, 200, authenticationPage(session));
  });

  router.post('/pay/:session/authenticate', async (ctx) => {
    const isRight = new URLSearchParams(await readText(ctx.req)).get('answer') === 'complete';
    const session = await findSession(pool, ctx.params['session']!);
    if (!session) return show(ctx, 404, missingPage());
    const outcome = isRight ? 'succeeds' : 'declined';
    const attempt = { sessionId: session.id, outcome, isAuthenticating: true } as const;
    const isTaken = await attemptPayment(pool, attempt);
    options.wake();
    sendTo(ctx, isTaken && isRight ? successUrlOf(session) : `/pay/${session.id}`);
  });

  return router;
}

export function sendTo(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set('location', location);
}

function isClosed(session: SessionRow): boolean {
  return session.status !== 'open' || session.is_over;
}

export function show(ctx: Context, status: number, page: HtmlSafeString): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.body = page.toString();
}

function successUrlOf(session: SessionRow): string {
  return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id);
}

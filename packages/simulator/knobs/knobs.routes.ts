import Router from '@koa/router';
import type { Context, Next } from 'koa';
import type pg from 'pg';
import { z } from 'zod';
import { isSameSecret } from '../../../domain/shared/secrets.ts';
import { ApiError, invalidParameters, noSuch } from '../api/api-error.ts';
import { findNamed } from '../api/calls.ts';
import { readText } from '../body.ts';
import { findAccount, setAccountState } from '../records/account.repository.ts';
import { findSession, findSessionOfIntent } from '../records/checkout.repository.ts';
import { transaction } from '../database.ts';
import { DISPUTE_STATUSES, moveDispute, openDispute } from '../records/dispute.repository.ts';
import { makePayout, PAYOUT_STATUSES, presentPayout } from '../records/payout.repository.ts';
import { ACCOUNT_STATES, presentAccount } from '../stripe-accounts.ts';
import { presentDispute } from '../stripe-disputes.ts';
import { TRANSFER_FATES, turnTransferKnob } from '../transfers/transfer.repository.ts';
import { advanceClock, FATES, listEvents, turnKnob, type HeldOrder } from './knob.repository.ts';

type Options = {
  pool: pg.Pool;
  secretKey: string;
  wake(): void;
  release(order: HeldOrder): Promise<number>;
};

const shapes = {
  events: z.strictObject({
    fate: z.enum(FATES).default('send'),
    copies: z.int().min(0).max(20).default(0),
    count: z.int().min(0).max(1_000).default(1),
  }),
  release: z.strictObject({ order: z.enum(['made', 'reversed']).default('made') }),
  clock: z.strictObject({
    days: z.number().min(0).max(3_650).default(0),
    seconds: z.number().min(0).max(86_400).default(0),
  }),
  dispute: z.strictObject({
    of: z.string().min(1).max(255),
    status: z.enum(DISPUTE_STATUSES).default('needs_response'),
    amount: z.int().positive().optional(),
  }),
  payout: z.strictObject({
    account: z.string().min(1).max(255),
    status: z.enum(PAYOUT_STATUSES).default('paid'),
    amount: z.int().positive().default(12_000),
    currency: z
      .string()
      .regex(/^[a-z]{3}$/)
      .default('usd'),
    failure_code: z
      .string()
      .regex(/^[a-z_]{1,60}$/)
      .default('account_closed'),
  }),
  account: z.strictObject({ state: z.enum(ACCOUNT_STATES) }),
  transfers: z.strictObject({
    fate: z.enum(TRANSFER_FATES).default('make'),
    count: z.int().min(0).max(1_000).default(1),
    seconds: z.number().min(0).max(60).default(10),
  }),
  decision: z.strictObject({ status: z.enum(DISPUTE_STATUSES) }),
};

/** What tests and the curious turn: the fate of events, the clock, what banks decide. */
export function createKnobRoutes(options: Options): Router {
  const { pool, wake } = options;
  const router = new Router({ prefix: '/knobs' });
  router.use(requireToken(options.secretKey));

  router.get('/events', async (ctx) => void (ctx.body = await listEvents(pool)));

  router.post('/events', async (ctx) => {
    const knob = await read(ctx, shapes.events);
    await turnKnob(pool, knob);
    ctx.body = knob;
  });

  router.post('/events/release', async (ctx) => {
    const { order } = await read(ctx, shapes.release);
    ctx.body = { released: await options.release(order) };
  });

  router.post('/clock', async (ctx) => {
    const { days, seconds } = await read(ctx, shapes.clock);
    ctx.body = { ahead_s: await advanceClock(pool, days * 86_400 + seconds) };
    wake();
  });

  router.post('/disputes', async (ctx) => {
    const { of: id, status, amount } = await read(ctx, shapes.dispute);
    const isIntent = id.startsWith('pi_');
    const session = await (isIntent ? findSessionOfIntent(pool, id) : findSession(pool, id));
    if (!session?.intent) throw noSuch('payment', { id, param: 'of', status: 404 });
    const asked = { session, status, amount };
    ctx.body = presentDispute(await transaction(pool, (client) => openDispute(client, asked)));
    wake();
  });

  router.post('/disputes/:id', async (ctx) => {
    const { status } = await read(ctx, shapes.decision);
    const move = (id: string) => transaction(pool, (client) => moveDispute(client, { id, status }));
    ctx.body = presentDispute(await findNamed(ctx, 'dispute', move));
    wake();
  });

  router.post('/payouts', async (ctx) => {
    const { failure_code: failureCode, ...asked } = await read(ctx, shapes.payout);
    const { account: id } = asked;
    if (!(await findAccount(pool, id))) {
      throw noSuch('account', { id, param: 'account', status: 404 });
    }
    const made = await transaction(pool, (client) => makePayout(client, { ...asked, failureCode }));
    ctx.body = presentPayout(made);
    wake();
  });

  router.post('/accounts/:id', async (ctx) => {
    const { state } = await read(ctx, shapes.account);
    const change = (id: string) =>
      transaction(pool, (client) => setAccountState(client, { id, state }));
    ctx.body = presentAccount(await findNamed(ctx, 'account', change));
    wake();
  });

  router.post('/transfers', async (ctx) => {
    const knob = await read(ctx, shapes.transfers);
    await turnTransferKnob(pool, knob);
    ctx.body = knob;
  });

  return router;
}

/** Whoever has the secret key may turn them, in a header that no browser sends by itself. */
function requireToken(secretKey: string) {
  return (ctx: Context, next: Next) => {
    if (isSameSecret(ctx.get('simulator-token'), secretKey)) return next();
    throw new ApiError(401, { message: 'simulator-token is wrong.' });
  };
}

async function read<Shape extends z.ZodType>(ctx: Context, shape: Shape): Promise<z.output<Shape>> {
  const text = await readText(ctx.req);
  const result = shape.safeParse(parse(text === '' ? '{}' : text), { reportInput: true });
  if (!result.success) throw invalidParameters(result.error);
  return result.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, { message: 'The body is not JSON.' });
  }
}

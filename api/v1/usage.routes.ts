import type { Context } from 'koa';
import { setImmediate } from 'node:timers/promises';
import { decideByToken } from '../../domain/usage/decide-usage.ts';
import { bearsKey, GONE, requireKey, requireReporter } from '../http/authenticate.ts';
import { LIMIT_BYTES, readBody, wrongType } from '../http/body.ts';
import { explainCredential, NOTHING_SENT } from '../http/credential.ts';
import { tooLarge } from '../http/upload.ts';
import { requireValid } from '../http/validate.ts';
import { json } from '../http/response.ts';
import { HttpError } from '../http/errors.ts';
import { defineRoute, type BareContext } from '../http/route.ts';
import { presentUsage, usageAnswer } from './usage.presenter.ts';
import { KEY_NEEDS_USER, refuseUserId, requireUserId, usageReport } from './usage.schema.ts';

const NO_PRODUCT = "The token's client belongs to no product, so there is no usage to report.";

const reportUsage = defineRoute({
  method: 'POST',
  path: '/api/v1/usage',
  summary: 'Report usage',
  credential: 'key_or_token',
  limit: 'usage_reports',
  isCrossOrigin: true,
  input: { body: { kind: 'json', shape: usageReport } },
  documentation: {
    statuses: [200],
    errors: [
      'invalid_request',
      'unauthorized',
      'forbidden',
      'not_found',
      'payload_too_large',
      'unsupported_media_type',
      'rate_limited',
      'unavailable',
      'internal_error',
    ],
    operationId: 'reportUsage',
    tag: 'Usage',
    description:
      "Says that a person used your product. With a person's token, `heartbeat` and `activity` make the day a Qualified Active Day, unless the person is a member of the product's own team; `session` alone never does. With an API key usage is kept for analytics only, of people who are signed in to the product or entitled to it. A test key writes nothing. Repeat reports as often as you like: a day counts once per person and product.",
    output: usageAnswer,
    meanings: { 404: GONE },
    errorExamples: {
      invalid_request: { message: `user_id: ${KEY_NEEDS_USER}`, param: 'user_id' },
      unauthorized: { message: explainCredential(NOTHING_SENT, 'key_or_token') },
      forbidden: { message: NO_PRODUCT },
      not_found: { message: GONE },
      payload_too_large: { message: tooLarge(LIMIT_BYTES).message },
      unsupported_media_type: { message: wrongType('json').message },
    },
  },
  handler(context) {
    return bearsKey(context.ctx) ? reportByKey(context) : reportByToken(context);
  },
});

async function reportByKey({ ctx, services }: BareContext) {
  const { key } = await requireKey(
    { ctx, services },
    { limit: 'usage_reports', needed: 'key_or_token' },
  );
  const report = await readReport(ctx);
  const personId = requireUserId(report);
  const { productId, mode } = key;
  const decision = await services.usage.recordByKey({ productId, personId, mode }, report.kind);
  return json(presentUsage(decision, { isTest: mode === 'test' }));
}

/**
 * A token reports usage of its own person only. A body that came with its headers is read first, so
 * one statement authenticates, counts and records. A later body waits for authentication. Errors of
 * the body come last in both cases.
 */
async function reportByToken({ ctx, services }: BareContext) {
  await setImmediate(); // what came with the headers is parsed meanwhile
  const reading = ctx.req.complete ? readReport(ctx) : undefined;
  const report = await reading?.catch(() => undefined);
  const early = report && report.user_id === undefined ? report.kind : null;
  const bearer = await requireReporter({ ctx, services }, { limit: 'usage_reports', kind: early });
  const { kind, user_id: userId } = await (reading ?? readReport(ctx));
  refuseUserId(userId);
  const { productId } = bearer;
  if (productId === null) {
    throw new HttpError('forbidden', { message: NO_PRODUCT });
  }
  ctx.state['isOwnTeam'] = bearer.isOwnTeam; // the log says why it does not qualify
  const decision = early
    ? decideByToken(kind, bearer.isOwnTeam)
    : await services.usage.recordByToken({ ...bearer, productId }, kind);
  return json(presentUsage(decision, { isTest: false }));
}

async function readReport(ctx: Context) {
  return requireValid(usageReport, await readBody(ctx, 'json'));
}

export const routes = [reportUsage];

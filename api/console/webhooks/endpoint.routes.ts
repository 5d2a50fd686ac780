import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  changeState,
  changeTarget,
  type EndpointChange,
} from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { isRefusal, refuse } from '../../../domain/shared/refusal.ts';
import { isLoopbackEndpoint } from '../../../domain/webhooks/endpoints/loopback-endpoint.ts';
import { sendTestEvent } from '../../../domain/webhooks/endpoints/test-event.repository.ts';
import { TEST_EVENT } from '../../../domain/webhooks/endpoints/test-event.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import { redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { auditEntryOn, loadManaged } from '../managed-product.ts';
import {
  ENDPOINTS,
  endpointParams,
  keyOf,
  loadEndpoint,
  pathOf,
  showLive,
  showOne,
} from './endpoint-shared.ts';
import { duplicateDraft, liveDraft, validateTarget, targetForm } from './endpoint-form.ts';
import { holdEndpoint, holdEndpointRights } from './endpoint-rights.ts';
import { TESTS_WAIT } from './endpoint.page.ts';
import { endpointsPath } from './endpoints.page.ts';

const PATH = `${ENDPOINTS}/:endpoint`;
const DONE = { disable: 'disabled', enable: 'enabled', delete: 'deleted' } as const;
const DISABLED = 'The endpoint is disabled. Enable it before you send a test.';

const showEndpoint = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show a webhook endpoint',
  input: { params: endpointParams },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  async handler(context) {
    const product = await loadManaged(context);
    const { endpointId } = keyOf(product, context);
    return showOne(context, { product, endpointId });
  },
});

const saveEndpoint = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Change the URL and events of a webhook endpoint',
  proof: 'fresh',
  input: { params: endpointParams, body: { kind: 'form', shape: targetForm } },
  async handler(context) {
    const loaded = await loadEndpoint(context);
    if ('status' in loaded) return loaded;
    const { product, key } = loaded;
    const validated = validateTarget(context.body, context.services);
    if ('draft' in validated)
      return showOne(context, { product, ...key }, { ...validated, status: 422 });
    const { url, events } = validated.target;
    const changed = await context.services.database.transaction(async (em) => {
      const held = await holdEndpoint(em, context, key);
      if (isRefusal(held)) return held;
      if (held.isTrial && !isLoopbackEndpoint(url)) return refuse('not_loopback');
      const outcome = await changeTarget(em, key, validated.target);
      if (isRefusal(outcome)) return outcome;
      const detail = { host: new URL(url).host, events };
      const what = { action: 'endpoint.changed', subject: key.endpointId, detail } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      return outcome;
    });
    if (!isRefusal(changed)) return redirect(withNotice(pathOf(product, key), 'saved'));
    if (changed.refused === 'not_found') throw new HttpError('not_found');
    if (changed.refused === 'live') return showLive(context, { product, ...key });
    const isDuplicate = changed.refused === 'duplicate';
    const draft = isDuplicate ? duplicateDraft(context.body) : liveDraft(context.body);
    return showOne(context, { product, ...key }, { draft, status: 422 });
  },
});

const changeEndpointState = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/state`,
  summary: 'Disable, enable or delete a webhook endpoint',
  proof: ({ action }) => action !== 'disable',
  input: {
    params: endpointParams,
    body: {
      kind: 'form',
      shape: z.object({ action: z.enum(Object.keys(DONE) as EndpointChange[]) }),
    },
  },
  async handler(context) {
    const loaded = await loadEndpoint(context);
    if ('status' in loaded) return loaded;
    const { product, key } = loaded;
    const { action } = context.body;
    const isChanged = await context.services.database.transaction(async (em) => {
      const held = await holdEndpoint(em, context, key);
      if (isRefusal(held)) return held.refused === 'live' ? 'live' : false;
      if (!(await changeState(em, key, action))) return false;
      const what = { action: `endpoint.${DONE[action]}`, subject: key.endpointId } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      return true;
    });
    if (isChanged === 'live') return showLive(context, { product, ...key });
    const back = action === 'delete' ? endpointsPath(product) : pathOf(product, key);
    return redirect(withNotice(back, isChanged ? `endpoint_${DONE[action]}` : 'unchanged'));
  },
});

const SENT = {
  test: ['endpoint.tested', 'test_sent'],
  example: ['endpoint.example_sent', 'example_sent'],
} as const;

const testForm = z.object({ event: z.enum(EVENT_NAMES).default(TEST_EVENT) });

const sendTest = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/test`,
  summary: 'Send a test event, or the example of an event, to a webhook endpoint',
  proof: 'none',
  input: { params: endpointParams, body: { kind: 'form', shape: testForm } },
  statuses: [303, 422, 429],
  async handler(context) {
    const loaded = await loadEndpoint(context);
    if ('status' in loaded) return loaded;
    const { product, key } = loaded;
    const { event: name } = context.body;
    const [action, said] = SENT[name === TEST_EVENT ? 'test' : 'example'];
    const { database } = context.services;
    const done = await database.transaction(async (em) => {
      const { isTrial } = await holdEndpointRights(em, context, product.id);
      if (isTrial) return refuse('waits');
      const outcome = await sendTestEvent({ em, pool: database.pool }, { ...key, name });
      if (!('sent' in outcome)) return outcome;
      const what = { action, subject: key.endpointId, detail: { event: name } } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      return outcome;
    });
    if ('sent' in done) return redirect(withNotice(pathOf(product, key), said));
    if (done.refused === 'not_found') throw new HttpError('not_found');
    const target = { product, ...key };
    if ('retryAfterS' in done) return showOne(context, target, tryLater(done.retryAfterS));
    const problem = done.refused === 'waits' ? TESTS_WAIT : DISABLED;
    return showOne(context, target, { problem, status: 422 });
  },
});

function tryLater(seconds: number) {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? `${seconds} seconds` : `${minutes} minutes`;
  const problem = `You sent five tests and examples in ten minutes. You can send the next one in ${wait}.`;
  return { problem, status: 429, headers: { 'retry-after': String(seconds) } };
}

export const routes = [showEndpoint, saveEndpoint, changeEndpointState, sendTest];

import { z } from 'zod';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import {
  addEndpoint,
  changeEndpoint,
  changeEndpointState,
  revealEndpointSecrets,
  rotateEndpointSecret,
  type RightsRefusal,
} from '../../../domain/webhooks/endpoints/endpoint.command.ts';
import { sendTestEvent } from '../../../domain/webhooks/endpoints/send-test.command.ts';
import { type EndpointChange } from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { newEndpointSecret } from '../../../domain/webhooks/endpoints/secret-rotation.repository.ts';
import { encryptEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import { TEST_EVENT } from '../../../domain/webhooks/test-event.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import { withNotice } from '../../html/notices.ts';
import { HttpError } from '../../http/errors.ts';
import { text, uuid, NO_FIELDS, formBody } from '../../http/fields.ts';
import { productRef } from '../../http/params.ts';
import { tooMany } from '../../http/rate-limit.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { LIVE_ENDPOINTS_WAIT } from '../credentials/trial-notice.ts';
import {
  isResponse,
  loadManaged,
  passCredentialRights,
  type ProductCall,
} from '../managed-product.ts';
import { refuseUrl, targetForm, validateTarget } from './endpoint-form.ts';
import { WINDOW_DAYS } from './endpoint-actions.ts';
import { TESTS_WAIT } from './endpoint.page.ts';
import { endpointPath, endpointsPath } from './endpoints.page.ts';
import {
  loadForChange,
  loadTarget,
  showAll,
  showOne,
  showSecrets,
  toChange,
  type Target,
} from './show-endpoints.ts';

const ALL = '/console/products/:ref/endpoints';
const ONE = `${ALL}/:endpoint`;
const params = productRef.extend({ endpoint: uuid().toLowerCase() });

const PROBLEMS = {
  too_many: 'You have reached the limit of 10 endpoints. Delete one first.',
  too_many_of_owner:
    'The owner of this product has reached the limit of 100 endpoints across all products. Delete one first.',
  read_only: LIVE_ENDPOINTS_WAIT,
  waits: TESTS_WAIT,
  disabled: 'The endpoint is disabled. Enable it before you send a test.',
  already_rotated: 'The secret has already been rotated. Show it before you rotate it again.',
};

const showEndpoints = defineRoute({
  ...SESSION_PAGE,
  path: ALL,
  summary: 'List webhook endpoints',
  input: { params: productRef },
  handler: async (context) => showAll(context, await loadManaged(context)),
});

const add = defineRoute({
  ...SESSION_FORM,
  path: ALL,
  summary: 'Add a webhook endpoint',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: targetForm } },
  async handler(context) {
    const { services, body } = context;
    const product = await loadForChange(context);
    if (isResponse(product)) return product;
    const validated = validateTarget(body, services);
    if ('draft' in validated) return showAll(context, product, validated);
    const [endpointId, secret] = [newUuid(), newEndpointSecret()];
    const added = await addEndpoint(services.database.em(), {
      ...toChange(context, { product, endpointId }),
      ...validated.target,
      encryptedSecret: encryptEndpointSecret(services.encryptor, endpointId, secret),
    });
    if (!isRefusal(added)) {
      return showSecrets(context, { product, endpointId }, { current: secret, previous: null });
    }
    const { refused } = added;
    const isAboutUrl = refused === 'duplicate' || refused === 'not_loopback';
    const shown = isAboutUrl ? refuseUrl(body, refused) : { problem: explain(refused) };
    return showAll(context, product, shown);
  },
});

const showEndpoint = defineRoute({
  ...SESSION_PAGE,
  path: ONE,
  summary: 'Show a webhook endpoint',
  input: { params },
  async handler(context) {
    const product = await loadManaged(context);
    return showOne(context, { product, endpointId: context.params.endpoint });
  },
});

const change = defineRoute({
  ...SESSION_FORM,
  path: ONE,
  summary: 'Change the URL and events of a webhook endpoint',
  proof: 'fresh',
  input: { params, body: { kind: 'form', shape: targetForm } },
  async handler(context) {
    const { services, body } = context;
    const target = await loadTarget(context);
    if ('status' in target) return target;
    const validated = validateTarget(body, services);
    if ('draft' in validated) return showOne(context, target, { ...validated, status: 422 });
    const input = { ...toChange(context, target), ...validated.target };
    const changed = await changeEndpoint(services.database.em(), input);
    if (!isRefusal(changed)) return redirect(withNotice(endpointPath(target), 'saved'));
    const { refused } = changed;
    return refused === 'duplicate' || refused === 'not_loopback'
      ? showOne(context, target, { ...refuseUrl(body, refused), status: 422 })
      : refuse(context, target, refused);
  },
});

const DONE = {
  disable: 'endpoint_disabled',
  enable: 'endpoint_enabled',
  delete: 'endpoint_deleted',
} as const;

const changeState = defineRoute({
  ...SESSION_FORM,
  path: `${ONE}/state`,
  summary: 'Disable, enable or delete a webhook endpoint',
  proof: ({ action }) => action !== 'disable',
  input: { params, body: formBody({ action: z.enum(Object.keys(DONE) as EndpointChange[]) }) },
  async handler(context) {
    const target = await loadTarget(context);
    if ('status' in target) return target;
    const { action } = context.body;
    const input = { ...toChange(context, target), change: action };
    const changed = await changeEndpointState(context.services.database.em(), input);
    const back = action === 'delete' ? endpointsPath(target.product) : endpointPath(target);
    if (!isRefusal(changed)) return redirect(withNotice(back, DONE[action]));
    const { refused } = changed;
    const isUnchanged = refused === 'unchanged' || refused === 'unknown';
    return isUnchanged ? redirect(withNotice(back, 'unchanged')) : refuse(context, target, refused);
  },
});

const testForm = z.object({ event: z.enum(EVENT_NAMES).default(TEST_EVENT) });

const sendTest = defineRoute({
  ...SESSION_FORM,
  path: `${ONE}/test`,
  summary: 'Send a test event, or the example of an event, to a webhook endpoint',
  proof: 'none',
  input: { params, body: { kind: 'form', shape: testForm } },
  async handler(context) {
    const target = await loadTarget(context);
    if ('status' in target) return target;
    const { event: name } = context.body;
    const { database } = context.services;
    const sent = await sendTestEvent(database.em(), {
      ...toChange(context, target),
      name,
      pool: database.pool,
    });
    if ('retryAfterS' in sent) return showOne(context, target, tryLater(sent.retryAfterS));
    if (isRefusal(sent)) return refuse(context, target, sent.refused);
    const notice = name === TEST_EVENT ? 'test_sent' : 'example_sent';
    return redirect(withNotice(endpointPath(target), notice));
  },
});

function tryLater(seconds: number) {
  const minutes = Math.ceil(seconds / 60);
  const wait = minutes === 1 ? `${seconds} seconds` : `${minutes} minutes`;
  const sentence = `You sent five tests and examples in ten minutes. You can send the next one in ${wait}.`;
  const { message: problem, status, headers } = tooMany(seconds, sentence);
  return { problem, status, headers };
}

const showSecret = defineRoute({
  ...SESSION_FORM,
  path: `${ONE}/secret`,
  summary: 'Show the secret of a webhook endpoint',
  proof: 'fresh',
  input: { params, body: NO_FIELDS },
  async handler(context) {
    const target = await loadTarget(context);
    if ('status' in target) return target;
    const { database, encryptor } = context.services;
    const input = { ...toChange(context, target), encryptor };
    const secrets = await revealEndpointSecrets(database.em(), input);
    return isRefusal(secrets)
      ? refuse(context, target, secrets.refused)
      : showSecrets(context, target, secrets);
  },
});

const rotateSecret = defineRoute({
  ...SESSION_FORM,
  path: `${ONE}/rotate`,
  summary: 'Rotate the secret of a webhook endpoint',
  proof: 'fresh',
  input: {
    params,
    body: formBody({ replaces: text(36), window_days: z.enum(WINDOW_DAYS).transform(Number) }),
  },
  async handler(context) {
    const target = await loadTarget(context);
    if ('status' in target) return target;
    const { replaces, window_days: windowDays } = context.body;
    const { database, encryptor } = context.services;
    const encryptedSecret = encryptEndpointSecret(
      encryptor,
      target.endpointId,
      newEndpointSecret(),
    );
    const rotation = { encryptor, encryptedSecret, replaces, windowDays };
    const input = { ...toChange(context, target), ...rotation };
    const secrets = await rotateEndpointSecret(database.em(), input);
    return isRefusal(secrets)
      ? refuse(context, target, secrets.refused)
      : showSecrets(context, target, secrets);
  },
});

export const routes = [
  showEndpoints,
  add,
  showEndpoint,
  change,
  changeState,
  sendTest,
  showSecret,
  rotateSecret,
];

type Reason = keyof typeof PROBLEMS | RightsRefusal['refused'] | 'unknown';

/** Shows the endpoint's page with the reason why nothing was changed. */
function refuse(context: ProductCall, target: Target, reason: Reason) {
  return showOne(context, target, { problem: explain(reason), status: 422 });
}

/** Throws the error of lost rights, of a transfer and of an endpoint that is gone. */
function explain(reason: Reason): string {
  const problem = passCredentialRights(reason);
  if (problem === 'unknown') throw new HttpError('not_found');
  if (problem === 'transferred') {
    const message = 'The product has just been transferred. Try again.';
    throw new HttpError('forbidden', { message });
  }
  return PROBLEMS[problem];
}

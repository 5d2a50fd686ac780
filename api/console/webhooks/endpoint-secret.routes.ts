import { z } from 'zod';
import { recordAudit, type AuditEntry } from '../../../domain/audit/audit.repository.ts';
import { mailOwners } from '../../../domain/notifications/recipients.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { sealEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret.ts';
import {
  newEndpointSecret,
  openSecrets,
  rotateSecret,
  type EndpointKey,
} from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { HttpError } from '../../http/errors.ts';
import { text } from '../../http/fields.ts';
import { defineRoute, type HttpResponse, SESSION_FORM } from '../../http/route.ts';
import { auditEntryOn } from '../managed-product.ts';
import {
  ENDPOINTS,
  endpointParams,
  loadEndpoint,
  showLive,
  showOne,
  showSecrets,
  type EndpointCall,
} from './endpoint-shared.ts';
import { holdEndpoint } from './endpoint-rights.ts';
import { WINDOW_DAYS } from './endpoint.page.ts';

const PATH = `${ENDPOINTS}/:endpoint`;
const ROTATED = 'The secret has already been rotated. Show it before you rotate it again.';

const SECRET_FORM = { ...SESSION_FORM, statuses: [200, 303, 422] } as const;

const showSecret = defineRoute({
  ...SECRET_FORM,
  path: `${PATH}/secret`,
  summary: 'Show the secret of a webhook endpoint',
  proof: 'fresh',
  input: { params: endpointParams, body: { kind: 'form', shape: z.object({}) } },
  handler: (context) => reveal(context, { audited: { action: 'endpoint.secret_shown' } }),
});

const rotation = z.object({
  replaces: text(36),
  window_days: z.enum(WINDOW_DAYS).transform(Number),
});

const rotateEndpointSecret = defineRoute({
  ...SECRET_FORM,
  path: `${PATH}/rotate`,
  summary: 'Rotate the secret of a webhook endpoint',
  proof: 'fresh',
  input: { params: endpointParams, body: { kind: 'form', shape: rotation } },
  handler(context) {
    const { replaces, window_days: windowDays } = context.body;
    const { sealer } = context.services;
    return reveal(context, {
      audited: { action: 'endpoint.secret_rotated', detail: { window_days: windowDays } },
      isReady(em, key) {
        const sealedSecret = sealEndpointSecret(sealer, key.endpointId, newEndpointSecret());
        return rotateSecret(em, key, { sealedSecret, replaces, windowDays });
      },
    });
  },
});

type Revealed = {
  audited: Pick<AuditEntry, 'action' | 'detail'>;
  /** Changes the secret before it is shown; false when another request has changed it. */
  isReady?(em: EntityManager, key: EndpointKey): Promise<boolean>;
};

/** Shows the secrets once, with a line in the audit trail and a mail to the owners. */
async function reveal(
  context: EndpointCall,
  { audited, isReady }: Revealed,
): Promise<HttpResponse> {
  const loaded = await loadEndpoint(context);
  if ('status' in loaded) return loaded;
  const { product, key } = loaded;
  const { database, sealer } = context.services;
  const target = { product, ...key };
  const secrets = await database.transaction(async (em) => {
    const held = await holdEndpoint(em, context, key);
    if (isRefusal(held)) return held.refused === 'live' ? 'live' : null;
    if (isReady && !(await isReady(em, key))) return 'rotated';
    const opened = await openSecrets(em, key, sealer);
    if (opened === null) return null;
    const what = { ...audited, subject: key.endpointId };
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    await mailOwners(em, 'endpoint_secret_shown', key);
    return opened;
  });
  if (secrets === 'rotated') return showOne(context, target, { problem: ROTATED, status: 422 });
  if (secrets === 'live') return showLive(context, target);
  if (secrets === null) throw new HttpError('not_found');
  return showSecrets(context, target, secrets);
}

export const routes = [showSecret, rotateEndpointSecret];

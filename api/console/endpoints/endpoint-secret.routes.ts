import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import { mailOwners } from '../../../domain/notifications/recipients.repository.ts';
import { sealEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret.ts';
import {
  newEndpointSecret,
  openSecrets,
  rotateSecret,
} from '../../../domain/webhooks/endpoints/endpoint.repository.ts';
import { HttpError } from '../../errors.ts';
import { text } from '../../account/fields.ts';
import { defineRoute, SESSION_FORM } from '../../route.ts';
import { auditEntryOn } from '../managed-product.ts';
import {
  ENDPOINTS,
  endpointParams,
  loadEndpoint,
  showOne,
  showSecrets,
} from './endpoint-shared.ts';
import { WINDOW_DAYS } from './endpoint.page.ts';

const PATH = `${ENDPOINTS}/:endpoint`;
const ROTATED = 'The secret has already been rotated. Show it before you rotate it again.';

export const showSecret = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/secret`,
  summary: 'Show the secret of a webhook endpoint',
  proof: 'fresh',
  input: { params: endpointParams, body: { kind: 'form', shape: z.object({}) } },
  async handler(context) {
    const loaded = await loadEndpoint(context);
    if ('status' in loaded) return loaded;
    const { product, key } = loaded;
    const { database, sealer } = context.services;
    const secrets = await database.transaction(async (em) => {
      const opened = await openSecrets(em, key, sealer);
      if (opened === null) return null;
      const what = { action: 'endpoint.secret_shown', subject: key.endpointId } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      await mailOwners(em, 'endpoint_secret_shown', key);
      return opened;
    });
    if (secrets === null) throw new HttpError('not_found');
    return showSecrets(context, { product, ...key }, secrets);
  },
});

const rotation = z.object({
  replaces: text(36),
  window_days: z.enum(WINDOW_DAYS).transform(Number),
});

export const rotateEndpointSecret = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/rotate`,
  summary: 'Rotate the secret of a webhook endpoint',
  proof: 'fresh',
  input: { params: endpointParams, body: { kind: 'form', shape: rotation } },
  async handler(context) {
    const loaded = await loadEndpoint(context);
    if ('status' in loaded) return loaded;
    const { product, key } = loaded;
    const { database, sealer } = context.services;
    const { replaces, window_days: windowDays } = context.body;
    const sealedSecret = sealEndpointSecret(sealer, key.endpointId, newEndpointSecret());
    const secrets = await database.transaction(async (em) => {
      if (!(await rotateSecret(em, key, { sealedSecret, replaces, windowDays }))) return null;
      const detail = { window_days: windowDays };
      const what = { action: 'endpoint.secret_rotated', subject: key.endpointId, detail } as const;
      await recordAudit(em, { ...auditEntryOn(context, product), ...what });
      await mailOwners(em, 'endpoint_secret_shown', key);
      return openSecrets(em, key, sealer);
    });
    const target = { product, ...key };
    if (secrets === null) return showOne(context, target, { problem: ROTATED, status: 422 });
    return showSecrets(context, target, secrets);
  },
});

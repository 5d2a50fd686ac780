import { z } from 'zod';
import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import {
  searchRequests,
  type RequestFilter,
  type StatusClass,
} from '../../../domain/request-log/request-log.repository.ts';
import { isClientId, parseUuid } from '../../../domain/shared/ids.ts';
import { now } from '../../../platform/database/database.ts';
import { cursor, given, text, uuid } from '../../http/fields.ts';
import { page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { productRef } from '../../http/params.ts';
import { loadManaged } from '../managed-product.ts';
import { requestsPage, STATUS_CLASSES } from './requests.page.ts';

const credential = given(36)
  .default('')
  .refine((id) => id === '' || isClientId(id) || parseUuid(id) !== null, 'is not an id');

const requestQuery = z.object({
  status: z.literal('').or(z.enum(STATUS_CLASSES)).default(''),
  credential,
  request: text(28).trim().default(''),
  before: cursor(uuid().toLowerCase()).catch(null),
});

const showRequests = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/requests',
  summary: 'List API requests',
  input: { params: productRef, query: requestQuery },
  async handler(context) {
    const product = await loadManaged(context);
    const em = context.services.database.em();
    const { query } = context;
    const productId = product.id;
    const search = { productId, filter: toFilter(query), before: query.before };
    const view = requestsPage({
      product,
      keys: await listKeys(em, [productId]),
      clients: await listClients(em, productId),
      found: await searchRequests(em, search),
      query,
      now: await now(em),
    });
    return page(context, view);
  },
});

function toFilter({
  status,
  credential: id,
  request,
}: z.output<typeof requestQuery>): RequestFilter {
  return {
    statusClass: status === '' ? null : (Number(status[0]) as StatusClass),
    apiKeyId: parseUuid(id),
    clientId: isClientId(id) ? id : null,
    requestId: request || null,
  };
}

export const routes = [showRequests];

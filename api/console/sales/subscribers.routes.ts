import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { subscriptionActor } from '../../../domain/outbox/actors.ts';
import {
  listSubscribers,
  readSubscribers,
} from '../../../domain/billing/reports/subscriber-list.repository.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { csvQuery, encodeFor } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute } from '../../http/route.ts';
import { loadSold } from '../managed-product.ts';
import { workflowUrl } from '../workflow-url.ts';
import { SHOWN_STATUSES, writeSubscribers } from './subscriber-labels.ts';
import { subscribersPage } from './subscribers.page.ts';
import { matching } from '../../http/fields.ts';

const PATH = '/console/products/:ref/subscribers';

const status = z.literal('').or(z.enum(SHOWN_STATUSES)).default('');

const shared = { method: 'GET', credential: 'session', statuses: [200, 303] } as const;

const showSubscribers = defineRoute({
  ...shared,
  path: PATH,
  summary: 'List subscribers',
  limit: null,
  input: {
    params: productRef,
    query: z.object({ status, before: matching(publicIdPattern('sub_'), 30).optional() }),
  },
  errors: ['invalid_request', 'not_found', 'unavailable'],
  async handler(context) {
    const product = await loadSold(context);
    const { query, services } = context;
    const before = query.before ?? null;
    const search = { productId: product.id, status: query.status || null, before };
    const { subscribers, next } = await listSubscribers(services.database.em(), search);
    const view = subscribersPage({
      product,
      subscribers: subscribers.map((subscriber) => ({
        ...subscriber,
        workflowUrl: workflowUrl(context, subscriptionActor(subscriber.subscriptionId)),
      })),
      status: query.status,
      before,
      next,
      mayExport: isAllowed(product.roles, 'refund'),
    });
    return page(context, view);
  },
});

const downloadSubscribers = defineRoute({
  ...shared,
  path: `${PATH}/subscribers.csv`,
  summary: 'Download subscribers as CSV',
  limit: 'settings',
  input: { params: productRef, query: csvQuery.extend({ status }) },
  errors: ['invalid_request', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  async handler(context) {
    const { database } = context.services;
    // An export, as the table of permissions has it, for it names people.
    const product = await loadSold(context, 'refund');
    const search = { productId: product.id, status: context.query.status || null };
    const batches = readSubscribers(() => database.em(), search);
    return csv(
      `${product.slug}-subscribers.csv`,
      encodeFor(context.query, writeSubscribers(batches)),
    );
  },
});

export const routes = [showSubscribers, downloadSubscribers];

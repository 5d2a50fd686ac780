import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { subscriptionWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import {
  countSubscribers,
  listSubscribers,
  readSubscribers,
} from '../../../domain/billing/reports/subscriber-list.repository.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { csvQuery } from '../../http/csv.ts';
import { csv, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadSold, SOLD_PAGE } from '../managed-product.ts';
import { workflowUrl } from '../workflow-url.ts';
import { SHOWN_STATUSES, writeSubscribers } from './subscriber-labels.ts';
import { subscribersPage } from './subscribers.page.ts';
import { cursor, matching } from '../../http/fields.ts';

const PATH = '/console/products/:ref/subscribers';

const status = z.literal('').or(z.enum(SHOWN_STATUSES)).default('');

const showSubscribers = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'List subscribers',
  input: {
    params: productRef,
    query: z.object({ status, before: cursor(matching(publicIdPattern('sub_'), 30)) }),
  },
  async handler(context) {
    const product = await loadSold(context);
    const { status, before } = context.query;
    const search = { productId: product.id, status: status || null, before };
    const em = context.services.database.em();
    const { subscribers, next } = await listSubscribers(em, search);
    const view = subscribersPage({
      product,
      subscribers: subscribers.map((subscriber) => ({
        ...subscriber,
        workflowUrl: workflowUrl(context, subscriptionWorkflow(subscriber.subscriptionId)),
      })),
      counts: await countSubscribers(em, product.id),
      status,
      before,
      next,
      mayExport: isAllowed(product.roles, 'refund'),
    });
    return page(context, view);
  },
});

const downloadSubscribers = defineRoute({
  ...SOLD_PAGE,
  path: `${PATH}/subscribers.csv`,
  summary: 'Download subscribers as CSV',
  input: { params: productRef, query: csvQuery.extend({ status }) },
  async handler(context) {
    const { database } = context.services;
    // An export, as the table of permissions has it, for it names people.
    const product = await loadSold(context, 'refund');
    const search = { productId: product.id, status: context.query.status || null };
    const batches = readSubscribers(() => database.em(), search);
    return csv(`${product.slug}-subscribers.csv`, writeSubscribers(batches), context.query);
  },
});

export const routes = [showSubscribers, downloadSubscribers];

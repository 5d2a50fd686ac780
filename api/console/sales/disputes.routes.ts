import { z } from 'zod';
import { listDisputes } from '../../../domain/billing/disputes/dispute-list.repository.ts';
import { disputePage } from '../../../clients/processor/disputes.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadSold } from '../managed-product.ts';
import { disputesPage } from './disputes.page.ts';
import { matching } from '../../http/fields.ts';

const place = matching(/^dp_[0-9A-Z]{26}$/, 29);

const showDisputes = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/disputes',
  summary: 'List disputes',
  input: { params: productRef, query: z.object({ before: place.optional() }) },
  async handler(context) {
    const product = await loadSold(context);
    const { before = null } = context.query;
    const em = context.services.database.em();
    const found = await listDisputes(em, { productId: product.id, before });
    const { processor, supportEmail: support } = context.services.config;
    // Charges are the platform's own at the processor: its operators answer.
    const mayAnswer = product.roles.includes('operator');
    const answerPageOf = (id: string) => (mayAnswer ? disputePage(processor, id) : null);
    return page(context, disputesPage({ product, found, before, support, answerPageOf }));
  },
});

export const routes = [showDisputes];

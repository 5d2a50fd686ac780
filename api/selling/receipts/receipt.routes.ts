import { z } from 'zod';
import { publicIdPattern } from '../../domain/platform/ids.ts';
import { findReceiptOf } from '../../domain/selling/purchases/receipt.store.ts';
import { page } from '../answer.ts';
import { Failure } from '../errors.ts';
import { defineRoute } from '../route.ts';
import { receiptPage } from './receipt.page.ts';

const PURCHASE_ID = publicIdPattern('pay_');

export const showReceipt = defineRoute({
  method: 'GET',
  path: '/purchases/:id/receipt',
  summary: 'The receipt of a purchase of mine',
  credential: 'session',
  limit: null,
  input: { params: z.object({ id: z.string() }) },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  async handler(call) {
    const { services, params, visitor } = call;
    const key = { personId: visitor.personId, purchaseId: params.id };
    const isId = PURCHASE_ID.test(params.id);
    const receipt = isId ? await findReceiptOf(services.database.em(), key) : null;
    if (!receipt) throw new Failure('not_found');
    return page(call, receiptPage({ receipt, buyer: visitor }));
  },
});

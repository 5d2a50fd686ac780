import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import {
  findPurchaseOf,
  listPurchasesOf,
} from '../../../domain/billing/purchases/purchase-view.repository.ts';
import { findMembershipOf } from '../../../domain/billing/memberships/membership-view.repository.ts';
import { listRunningOf } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { page } from '../../response.ts';
import { HttpError } from '../../errors.ts';
import { defineRoute } from '../../route.ts';
import { MY_PURCHASES } from './my-purchases-path.ts';
import { myPurchasesPage } from './my-purchases.page.ts';
import { purchasePage, refreshSeconds } from './purchase.page.ts';
import { given, matching } from '../fields.ts';

const PURCHASE_ID = publicIdPattern('pay_');

const shared = { method: 'GET', credential: 'session', limit: null, statuses: [200, 303] } as const;

export const showPurchase = defineRoute({
  ...shared,
  path: '/purchases/:id',
  summary: 'Show a purchase',
  input: { params: z.object({ id: given(30) }) },
  errors: ['not_found', 'unavailable'],
  async handler(context) {
    const { id } = context.params;
    const { personId } = context.currentUser;
    const purchase = PURCHASE_ID.test(id)
      ? await findPurchaseOf(context.services.database.em(), { personId, purchaseId: id })
      : null;
    if (!purchase) throw new HttpError('not_found');
    const waitS = refreshSeconds(purchase.status);
    const headers = waitS === null ? {} : { refresh: String(waitS) };
    return page(context, purchasePage({ purchase }), { headers });
  },
});

export const showMyPurchases = defineRoute({
  ...shared,
  path: MY_PURCHASES,
  summary: 'List purchases',
  input: { query: z.object({ before: matching(PURCHASE_ID, 30).optional().catch(undefined) }) },
  errors: ['unavailable'],
  async handler(context) {
    const em = context.services.database.em();
    const { personId } = context.currentUser;
    const before = context.query.before ?? null;
    const running = before === null ? await listRunningOf(em, personId) : [];
    const paid = before === null ? await findMembershipOf(em, personId) : null;
    const membership = paid?.status === 'incomplete' ? null : paid;
    const found = await listPurchasesOf(em, { personId, before });
    return page(context, myPurchasesPage({ running, membership, found, before }));
  },
});

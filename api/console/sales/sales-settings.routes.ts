import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  answerForSales,
  stopAnswering,
} from '../../../domain/catalog/commercial-operator.repository.ts';
import { switchIncluded } from '../../../domain/catalog/product-lifecycle.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { productRef } from '../../http/params.ts';
import { uuid } from '../../http/fields.ts';
import { defineRoute, SESSION_FORM } from '../../http/route.ts';
import { auditEntryOn, holdAllowed, loadManaged } from '../managed-product.ts';
import {
  backToSalesSettings,
  SALES_SETTINGS,
  SALES_SETTINGS_POLICY,
  showSalesSettingsPage,
} from './show-sales-settings.ts';
import {
  changeState,
  explainByOperator,
  NO_PRICE,
  STATE_NOTICES,
} from '../catalog/lifecycle-actions.ts';

const shared = {
  ...SESSION_FORM,
  contentSecurityPolicy: SALES_SETTINGS_POLICY,
} as const;

const showSalesSettings = defineRoute({
  ...shared,
  method: 'GET',
  path: SALES_SETTINGS,
  limit: null,
  summary: 'Show the sales settings',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['not_found', 'unavailable'],
  handler: async (context) => showSalesSettingsPage(context, await loadManaged(context)),
});

const changeListingState = defineRoute({
  ...shared,
  path: `${SALES_SETTINGS}/state`,
  summary: 'List or unlist a product',
  proof: 'fresh',
  input: {
    params: productRef,
    body: { kind: 'form', shape: z.object({ action: z.enum(['list', 'unlist']) }) },
  },
  statuses: [303, 422],
  async handler(context) {
    const product = await loadManaged(context, 'list');
    const { action: listingAction } = context.body;
    const changed = await changeState(context, { product, listingAction });
    if (!isRefusal(changed)) return backToSalesSettings(product, STATE_NOTICES[listingAction]);
    if (changed.refused === 'unchanged') return backToSalesSettings(product, 'unchanged');
    const problem = changed.refused === 'no_price' ? NO_PRICE : explainByOperator(context);
    return showSalesSettingsPage(context, product, { problem });
  },
});

const changeIncluded = defineRoute({
  ...shared,
  path: `${SALES_SETTINGS}/member`,
  summary: 'Include a product with Member, or remove it',
  proof: 'fresh',
  input: {
    params: productRef,
    body: { kind: 'form', shape: z.object({ action: z.enum(['include', 'exclude']) }) },
  },
  statuses: [303],
  async handler(context) {
    const product = await loadManaged(context, 'price');
    const isIncluded = context.body.action === 'include';
    const { id: productId } = product;
    const switched = await context.services.database.transaction(async (em) => {
      await holdAllowed(em, context, { product, action: 'price' });
      const done = await switchIncluded(em, { productId, isIncluded });
      if (isRefusal(done)) return done;
      const action = isIncluded ? 'product.included' : 'product.excluded';
      await recordAudit(em, { ...auditEntryOn(context, product), action, subject: productId });
      return done;
    });
    const done = isIncluded ? 'product_included' : 'product_excluded';
    return backToSalesSettings(product, isRefusal(switched) ? 'unchanged' : done);
  },
});

const operatorForm = z.discriminatedUnion('action', [
  z.object({ action: z.literal('answer') }),
  z.object({ action: z.literal('stop'), person: uuid().toLowerCase() }),
]);

const changeCommercialOperator = defineRoute({
  ...shared,
  path: `${SALES_SETTINGS}/operator`,
  summary: 'Set or remove the seller of record',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: operatorForm } },
  statuses: [303],
  async handler(context) {
    const product = await loadManaged(context, 'answer_for_sales');
    const isSet = context.body.action === 'answer';
    const personId =
      context.body.action === 'answer' ? context.currentUser.personId : context.body.person;
    const sales = { productId: product.id, personId };
    const isChanged = await context.services.database.transaction(async (em) => {
      await holdAllowed(em, context, { product, action: 'answer_for_sales' });
      if (!(await (isSet ? answerForSales(em, sales) : stopAnswering(em, sales)))) return false;
      const action = isSet ? 'product.operator_set' : 'product.operator_unset';
      await recordAudit(em, { ...auditEntryOn(context, product), action, subject: personId });
      return true;
    });
    const done = isSet ? 'operator_set' : 'operator_unset';
    return backToSalesSettings(product, isChanged ? done : 'unchanged');
  },
});

export const routes = [
  showSalesSettings,
  changeListingState,
  changeCommercialOperator,
  changeIncluded,
];

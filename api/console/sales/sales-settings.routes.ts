import { z } from 'zod';
import {
  changeCommercialOperator,
  includeWithMember,
} from '../../../domain/catalog/sales-settings.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { productRef } from '../../http/params.ts';
import { uuid } from '../../http/fields.ts';
import { defineRoute, SESSION_FORM } from '../../http/route.ts';
import { loadManaged, managerOf, passRights } from '../managed-product.ts';
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
    const { action: change } = context.body;
    const changed = await changeState(context, { product, change });
    if (!isRefusal(changed)) return backToSalesSettings(product, STATE_NOTICES[change]);
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
    const input = { productId: product.id, isIncluded, by: managerOf(context) };
    const switched = await includeWithMember(context.services.database.em(), input);
    if (isRefusal(switched)) {
      return backToSalesSettings(product, passRights(switched.refused, 'price'));
    }
    return backToSalesSettings(product, isIncluded ? 'product_included' : 'product_excluded');
  },
});

const operatorForm = z.discriminatedUnion('action', [
  z.object({ action: z.literal('answer') }),
  z.object({ action: z.literal('stop'), person: uuid().toLowerCase() }),
]);

const changeOperator = defineRoute({
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
    const input = { productId: product.id, personId, isSet, by: managerOf(context) };
    const changed = await changeCommercialOperator(context.services.database.em(), input);
    if (isRefusal(changed)) {
      return backToSalesSettings(product, passRights(changed.refused, 'answer_for_sales'));
    }
    return backToSalesSettings(product, isSet ? 'operator_set' : 'operator_unset');
  },
});

export const routes = [showSalesSettings, changeListingState, changeOperator, changeIncluded];

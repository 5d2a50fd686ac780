import { z } from 'zod';
import {
  changeCommercialOperator,
  includeWithMember,
} from '../../../domain/catalog/sales-settings.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { productRef } from '../../http/params.ts';
import { uuid, formBody } from '../../http/fields.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { loadManaged, managerOf, passRights } from '../managed-product.ts';
import {
  backToSalesSettings,
  SALES_SETTINGS,
  SALES_SETTINGS_POLICY,
  showSalesSettingsPage,
} from './show-sales-settings.ts';
import { changeState, explainRefusedListing, STATE_NOTICES } from '../catalog/lifecycle-actions.ts';

const shared = {
  ...SESSION_FORM,
  contentSecurityPolicy: SALES_SETTINGS_POLICY,
} as const;

const showSalesSettings = defineRoute({
  ...SESSION_PAGE,
  path: SALES_SETTINGS,
  summary: 'Show the sales settings',
  input: { params: productRef },
  contentSecurityPolicy: SALES_SETTINGS_POLICY,
  handler: async (context) => showSalesSettingsPage(context, await loadManaged(context)),
});

const changeListingState = defineRoute({
  ...shared,
  path: `${SALES_SETTINGS}/state`,
  summary: 'List or unlist a product',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ action: z.enum(['list', 'unlist']) }) },
  async handler(context) {
    const product = await loadManaged(context, 'list');
    const { action: change } = context.body;
    const changed = await changeState(context, { product, change });
    if (!isRefusal(changed)) return backToSalesSettings(product, STATE_NOTICES[change]);
    if (changed.refused === 'unchanged') return backToSalesSettings(product, 'unchanged');
    const problem = explainRefusedListing(context, changed.refused);
    return showSalesSettingsPage(context, product, { problem });
  },
});

const changeIncluded = defineRoute({
  ...shared,
  path: `${SALES_SETTINGS}/member`,
  summary: 'Include a product with Member, or remove it',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ action: z.enum(['include', 'exclude']) }) },
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

import { z } from 'zod';
import { isProcessorTrouble } from '../../../clients/processor/processor.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import {
  connectPayoutAccount,
  refreshPayoutStatus,
} from '../../../domain/catalog/payouts/payout-account.command.ts';
import { findPayoutAccount } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { now } from '../../../platform/database/database.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, type HttpResponse, SESSION_FORM } from '../../http/route.ts';
import {
  auditEntryOn,
  loadManaged,
  managerOf,
  passRights,
  requireAllowed,
  SOLD_PAGE,
  type ProductCall,
} from '../managed-product.ts';
import {
  backToSalesSettings,
  SALES_SETTINGS,
  SALES_SETTINGS_POLICY,
  salesSettingsPath,
} from './show-sales-settings.ts';
import { mark, formBody } from '../../http/fields.ts';

const shared = {
  path: `${SALES_SETTINGS}/payouts`,
  contentSecurityPolicy: SALES_SETTINGS_POLICY,
} as const;

const changePayouts = defineRoute({
  ...SESSION_FORM,
  ...shared,
  summary: 'Connect a payout account, or refresh its status',
  proof: ({ action }) => action === 'connect',
  input: { params: productRef, body: formBody({ action: z.enum(['connect', 'refresh']) }) },
  async handler(context) {
    const isConnecting = context.body.action === 'connect';
    const product = await loadManaged(context, isConnecting ? 'connect_payouts' : 'integrate');
    return tryAtProcessor(context, product, isConnecting ? connect : refresh);
  },
});

/**
 * The URLs to which the processor's pages return. Changes made there arrive as processor events.
 */
const returnFromProcessor = defineRoute({
  ...SOLD_PAGE,
  ...shared,
  summary: 'Return from the payment processor',
  input: { params: productRef, query: z.object({ over: mark }) },
  async handler(context) {
    const product = await loadManaged(context);
    const mayConnect = isAllowed(product.roles, 'connect_payouts');
    if (!mayConnect) requireAllowed(product, 'integrate');
    const isOver = context.query.over !== undefined;
    return backToSalesSettings(product, isOver ? 'payouts_link_over' : 'payouts_returned');
  },
});

type Step = (context: ProductCall, product: ManagedProduct) => Promise<HttpResponse>;

export async function tryAtProcessor(context: ProductCall, product: ManagedProduct, step: Step) {
  try {
    return await step(context, product);
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    context.services.logger.error({ error: error.name, reason: error.message }, 'payout account');
    return backToSalesSettings(product, 'processor_unavailable');
  }
}

/**
 * The account is made at the processor first, under a key of seller and person, so that a second
 * click makes no second one; then it is written down, and the seller is led to the processor's pages.
 */
export async function connect(context: ProductCall, product: ManagedProduct) {
  const { database, processor, config } = context.services;
  const known = await findPayoutAccount(database.em(), product);
  const account = known?.account ?? (await open(context, product));
  const path = `${config.baseUrl}${salesSettingsPath(product)}/payouts`;
  const link = { account, returnUrl: path, refreshUrl: `${path}?over=1` };
  return redirect((await processor.openOnboarding(link)).url);
}

async function open(context: ProductCall, product: ManagedProduct): Promise<string> {
  const { database, processor } = context.services;
  const { personId, email } = context.currentUser;
  const key = `payouts-${product.ownerTeamId ?? product.ownerPersonId}-${personId}`;
  const { id: account, ...status } = await processor.createPayoutAccount({ email, key });
  const input = { productId: product.id, seller: product, account, ...status };
  const by = managerOf(context);
  const connected = await connectPayoutAccount(database.em(), { ...input, by });
  if (isRefusal(connected)) passRights(connected.refused, 'connect_payouts');
  // Another request may have been first: the account that was written down is the seller's.
  return (await findPayoutAccount(database.em(), product))?.account ?? account;
}

async function refresh(context: ProductCall, product: ManagedProduct) {
  const { database, processor } = context.services;
  const known = await findPayoutAccount(database.em(), product);
  if (!known) return backToSalesSettings(product, 'unchanged');
  const askedAt = await now(database.em());
  const { id: account, ...status } = await processor.readPayoutAccount(known.account);
  const refresh = { ...auditEntryOn(context, product), account, askedAt, ...status };
  await refreshPayoutStatus(database.em(), refresh);
  return backToSalesSettings(product, 'payouts_refreshed');
}

export const routes = [changePayouts, returnFromProcessor];

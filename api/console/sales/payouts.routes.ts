import { z } from 'zod';
import { isProcessorTrouble } from '../../../clients/processor/processor.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import {
  connectPayoutAccount,
  refreshPayoutStatus,
  replacePayoutAccount,
} from '../../../domain/catalog/payouts/payout-account.command.ts';
import { findPayoutAccount } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { now } from '../../../platform/database/database.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { redirect, page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, type HttpResponse, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
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
import { mark, formBody, whole } from '../../http/fields.ts';
import { html } from '@prairielearn/html';
import { HttpError } from '../../http/errors.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { card } from '../../html/parts/card.ts';
import { productFrame } from '../console-frame.ts';

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

async function tryAtProcessor(context: ProductCall, product: ManagedProduct, step: Step) {
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
async function connect(context: ProductCall, product: ManagedProduct) {
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

const replacement = {
  path: `${SALES_SETTINGS}/payouts/replace`,
  contentSecurityPolicy: SALES_SETTINGS_POLICY,
} as const;

const SENTENCES = [
  'From now on, nothing new is paid to this account. Open checkouts end, and nobody can buy your products until the new account is ready.',
  'Renewals of running subscriptions move to the new account once it is ready. Until then, they still go to the old one.',
  'Payouts of the creator pool wait until the new account is ready and an operator has confirmed it. A payout that is on its way still goes to the old account.',
  'Purchases made before stay with the old account, and so do their refunds. Every owner gets an email.',
];

const showReplacement = defineRoute({
  ...SESSION_PAGE,
  ...replacement,
  summary: 'Ask before a payout account is replaced',
  input: { params: productRef },
  async handler(context) {
    const product = await loadManaged(context, 'connect_payouts');
    const current = await findPayoutAccount(context.services.database.em(), product);
    if (!current) return backToSalesSettings(product, 'unchanged');
    return ask(context, product, current.account);
  },
});

const replacePayouts = defineRoute({
  ...SESSION_FORM,
  ...replacement,
  summary: 'Replace a payout account',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ account: whole(255) }) },
  async handler(context) {
    const product = await loadManaged(context, 'connect_payouts');
    return tryAtProcessor(context, product, () => replace(context, product));
  },
});

type Replacing = ProductCall & { body: { account: string } };

/**
 * Makes the new account at the processor first, like the first account. Its key names the old one:
 * a second click makes no second one, and a later replacement makes another.
 */
async function replace(context: Replacing, product: ManagedProduct) {
  const { database, processor } = context.services;
  const { account: replaced } = context.body;
  const current = await findPayoutAccount(database.em(), product);
  if (current?.account !== replaced) return backToSalesSettings(product, 'unchanged');
  const { personId, email } = context.currentUser;
  const key = `payouts-${product.ownerTeamId ?? product.ownerPersonId}-${personId}-${replaced}`;
  const { id: account, ...status } = await processor.createPayoutAccount({ email, key });
  const made = { productId: product.id, replaced, account, ...status, by: managerOf(context) };
  const outcome = await replacePayoutAccount(database.em(), made);
  if (isRefusal(outcome) && outcome.refused === 'not_allowed') throw new HttpError('forbidden');
  // Another request may have been first: its account is the current one.
  return connect(context, product);
}

function ask(context: ProductCall, product: ManagedProduct, account: string) {
  const path = salesSettingsPath(product);
  const content = card({
    title: `Replace the account of ${product.sellerName}?`,
    body: html`<p>
        All products of ${product.sellerName} are paid to the account <code>${account}</code> now.
      </p>
      ${confirmation({
        action: `${path}/payouts/replace`,
        token: sessionFormToken(context),
        button: 'Replace payout account',
        sentences: SENTENCES,
        wayOut: { path, label: 'Keep account' },
        hidden: { account },
      })}`,
  });
  const frame = productFrame(product, null, 'Replace payout account');
  return page(context, { title: `Payout account of ${product.name}`, ...frame, content });
}

export const routes = [changePayouts, returnFromProcessor, showReplacement, replacePayouts];

import { html } from '@prairielearn/html';
import { z } from 'zod';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { findPayoutAccount } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { replacePayoutAccount } from '../../../domain/catalog/payouts/payout-account.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { FORM_ERRORS, HttpError } from '../../http/errors.ts';
import { whole } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type HttpResponse } from '../../http/route.ts';
import { confirmation } from '../../html/form.ts';
import { productFrame } from '../console-frame.ts';
import { loadManaged, managerOf, type ProductCall } from '../managed-product.ts';
import { connect, tryAtProcessor } from './payouts.routes.ts';
import {
  backToSalesSettings,
  SALES_SETTINGS,
  SALES_SETTINGS_POLICY,
  salesSettingsPath,
} from './show-sales-settings.ts';

const shared = {
  credential: 'session',
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
  ...shared,
  method: 'GET',
  limit: null,
  summary: 'Ask before a payout account is replaced',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['forbidden', 'not_found', 'unavailable'],
  async handler(context) {
    const product = await loadManaged(context, 'connect_payouts');
    const current = await findPayoutAccount(context.services.database.em(), product);
    if (!current) return backToSalesSettings(product, 'unchanged');
    return ask(context, product, current.account);
  },
});

const replacePayouts = defineRoute({
  ...shared,
  method: 'POST',
  limit: 'settings',
  summary: 'Replace a payout account',
  proof: 'fresh',
  input: { params: productRef, body: { kind: 'form', shape: z.object({ account: whole(255) }) } },
  statuses: [303],
  errors: [...FORM_ERRORS, 'not_found'],
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
async function replace(context: Replacing, product: ManagedProduct): Promise<HttpResponse> {
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

function ask(context: ProductCall, product: ManagedProduct, account: string): HttpResponse {
  const path = salesSettingsPath(product);
  const content = html`<div class="slim">
    <p>
      All products of ${product.sellerName} are paid to the account
      <code>${account}</code> now.
    </p>
    ${confirmation({
      action: `${path}/payouts/replace`,
      token: sessionFormToken(context),
      button: 'Replace payout account',
      sentences: SENTENCES,
      wayOut: { path, label: 'Keep account' },
      hidden: { account },
    })}
  </div>`;
  const frame = productFrame(product, null, 'Replace payout account');
  return page(context, { title: `Payout account of ${product.name}`, ...frame, content });
}

export const routes = [showReplacement, replacePayouts];

import { listKeys } from '../../../domain/catalog/keys/api-key.repository.ts';
import { listClients } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { findCommercialOperator } from '../../../domain/catalog/commercial-operator.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { findPayoutAccount } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { readPlatformFee } from '../../../domain/billing/platform-fee.repository.ts';
import { countActivations } from '../../../domain/entitlements/memberships/membership.repository.ts';
import { readFlash } from '../../http/flash.ts';
import { page, redirect } from '../../http/response.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { withNotice, type Notice } from '../../html/notices.ts';
import { productPath } from '../console-frame.ts';
import type { ProductCall } from '../managed-product.ts';
import { explainByOperator } from '../catalog/lifecycle-actions.ts';
import { readRequirements } from '../catalog/sale-checklist.ts';
import { salesSettingsPage } from './sales-settings.page.ts';

export const SALES_SETTINGS = '/console/products/:ref/selling';

/** Connecting leads on to the payment processor, which browsers count as the form's target. */
export const SALES_SETTINGS_POLICY = SIGN_IN_POLICY;

export function salesSettingsPath({ slug }: Pick<ManagedProduct, 'slug'>): string {
  return `${productPath(slug)}/selling`;
}

export function backToSalesSettings(product: ManagedProduct, notice: Notice) {
  return redirect(withNotice(salesSettingsPath(product), notice));
}

/** The person comes from the processor's pages, and its answer is on the way. */
function hasReturned({ ctx, services, cookies }: ProductCall): boolean {
  const { signer } = services;
  return readFlash(ctx, { signer, given: cookies.notice }) === 'payouts_returned';
}

export async function showSalesSettingsPage(
  context: ProductCall,
  product: ManagedProduct,
  { problem = null }: { problem?: string | null } = {},
) {
  const em = context.services.database.em();
  const view = salesSettingsPage({
    product,
    requirements: await readRequirements(em, {
      product,
      keys: await listKeys(em, [product.id]),
      clients: await listClients(em, product.id),
    }),
    operator: await findCommercialOperator(em, product.id),
    payouts: await findPayoutAccount(em, product),
    hasReturned: hasReturned(context),
    unlistedByOperator: product.isUnlistedByOperator ? explainByOperator(context) : null,
    feeBasisPoints: await readPlatformFee(em),
    memberCount: await countActivations(em, product.id),
    viewerId: context.currentUser.personId,
    problem,
    formToken: sessionFormToken(context),
  });
  return page(context, view, problem === null ? {} : { status: 422 });
}

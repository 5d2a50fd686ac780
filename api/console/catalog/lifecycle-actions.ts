// Listing, unlisting and removing, as the console and operators do it: the state, its line in the
// trail, and the form that asks first.
import type { HtmlSafeString } from '@prairielearn/html';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  listProduct,
  removeProduct,
  unlistProduct,
} from '../../../domain/catalog/product-lifecycle.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { closeSeal } from '../../../domain/seal/seal.repository.ts';
import { requireVerifiedEmail } from '../../account/sessions.ts';
import { askOnce, smallButton } from '../../html/form.ts';
import { auditEntryOn, holdAllowed, requireAllowed, type ProductCall } from '../managed-product.ts';

const ACTIONS = {
  list: { change: listProduct, action: 'product.listed', needed: 'list' },
  unlist: { change: unlistProduct, action: 'product.unlisted', needed: 'list' },
  remove: { change: removeProduct, action: 'product.removed', needed: 'remove_product' },
} as const;

export type ListingAction = keyof typeof ACTIONS;

export const STATE_NOTICES = {
  list: 'product_listed',
  unlist: 'product_unlisted',
  remove: 'product_removed',
} as const satisfies Record<ListingAction, string>;

/** Both end the quality seal at once. */
const CLOSINGS = { unlist: 'unlisted', remove: 'removed' } as const;

export const NO_PRICE = 'Set a price in an enabled currency before you list this product.';

const UNVERIFIED = 'Confirm your email address before you list a product.';

/** Why the owner cannot list the product, and how to reach the operators. */
export function explainByOperator({ services }: Pick<ProductCall, 'services'>): string {
  return `An operator unlisted this product, so only an operator can list it again. Write to ${services.config.supportEmail}.`;
}

/** `isByOperator` is set where an operator acts for the platform, not for a team of their own. */
export async function changeState(
  context: ProductCall,
  {
    product,
    listingAction,
    isByOperator = product.roles.every((role) => role === 'operator'),
  }: { product: ManagedProduct; listingAction: ListingAction; isByOperator?: boolean },
) {
  const { change, action, needed } = ACTIONS[listingAction];
  requireAllowed(product, needed);
  if (listingAction === 'list') requireVerifiedEmail(context.currentUser, UNVERIFIED);
  const { id: productId } = product;
  return context.services.database.transaction(async (em) => {
    await holdAllowed(em, context, { product, action: needed });
    const changed = await change(em, productId, isByOperator);
    if (isRefusal(changed)) return changed;
    if (listingAction !== 'list') {
      await closeSeal(em, { productId, reason: CLOSINGS[listingAction] });
    }
    const what = { action, subject: productId, detail: { from: changed.before } } as const;
    await recordAudit(em, { ...auditEntryOn(context, product), ...what });
    return changed;
  });
}

/** Says what will happen, and asks once. */
export function unlisting(asked: {
  action: string;
  token: string;
  hidden: Record<string, string>;
  /** The product, where a page has several. */
  name?: string;
}): HtmlSafeString {
  const { name } = asked;
  return askOnce({
    summary: 'Unlist',
    label: name === undefined ? undefined : `Unlist ${name}`,
    sentence:
      'Nobody can find or buy the product any more, and its badge says so. Nobody loses access: purchases and subscriptions go on. You can list it again.',
    button: smallButton({ ...asked, button: 'Unlist product' }),
  });
}

// Listing, unlisting and removing, as the console and operators do it, and the form that asks first.
import type { HtmlSafeString } from '@prairielearn/html';
import { changeProductState } from '../../../domain/catalog/product-lifecycle.command.ts';
import type { LifecycleChange } from '../../../domain/catalog/product-lifecycle.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { isRefusal, refuse } from '../../../domain/shared/refusal.ts';
import { requireVerifiedEmail } from '../../account/start-session.ts';
import { smallButton } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';
import { managerOf, passRights, requireAllowed, type ProductCall } from '../managed-product.ts';

const NEEDED = { list: 'list', unlist: 'list', remove: 'remove_product' } as const;

export const STATE_NOTICES = {
  list: 'product_listed',
  unlist: 'product_unlisted',
  remove: 'product_removed',
} as const satisfies Record<LifecycleChange, string>;

const NO_PRICE = 'Set a price in an enabled currency before you list this product.';

const NOT_DESCRIBED =
  'Complete the listing before you list this product: its page says what is missing.';

const UNVERIFIED = 'Confirm your email address before you list a product.';

/** Why the owner cannot list the product, and how to reach the operators. */
export function explainByOperator({ services }: Pick<ProductCall, 'services'>): string {
  return `An operator unlisted this product, so only an operator can list it again. Write to ${services.config.supportEmail}.`;
}

/** Why a product is not listed. */
export function explainRefusedListing(
  context: Pick<ProductCall, 'services'>,
  reason: 'no_price' | 'not_described' | 'by_operator',
): string {
  if (reason === 'by_operator') return explainByOperator(context);
  return reason === 'no_price' ? NO_PRICE : NOT_DESCRIBED;
}

type StateChange = { product: ManagedProduct; change: LifecycleChange; isForPlatform?: boolean };

export async function changeState(
  context: ProductCall,
  { product, change, isForPlatform = false }: StateChange,
) {
  requireAllowed(product, NEEDED[change]);
  if (change === 'list') requireVerifiedEmail(context.currentUser, UNVERIFIED);
  const input = { productId: product.id, change, by: managerOf(context), isForPlatform };
  const changed = await changeProductState(context.services.database.em(), input);
  return isRefusal(changed) ? refuse(passRights(changed.refused, NEEDED[change])) : changed;
}

/** Tells what will happen, and asks once. */
export function unlisting(asked: {
  action: string;
  token: string;
  hidden: Record<string, string>;
  /** The product, where a page has several. */
  name?: string;
}): HtmlSafeString {
  const { name } = asked;
  return fold({
    summary: 'Unlist',
    about: name,
    sentence:
      'Nobody can find or buy the product any more, and its badge says so. Nobody loses access: purchases and subscriptions go on. You can list it again.',
    content: smallButton({ ...asked, button: 'Unlist product' }),
  });
}

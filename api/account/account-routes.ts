// The routes of a person's purchases, library and subscriptions.
import type { Route } from '../http/route.ts';
import { showLibrary } from './purchases/library.routes.ts';
import { member } from './subscriptions/member.routes.ts';
import { memberFees } from './subscriptions/member-fees.routes.ts';
import { showMyPurchases, showPurchase } from './purchases/purchase.routes.ts';
import { showChargeReceipt, showReceipt } from './purchases/receipt.routes.ts';
import { continueCheckout, discardCheckout } from './purchases/unfinished.routes.ts';
import { mySubscriptions } from './subscriptions/subscription.routes.ts';

export const owned: readonly Route[] = [
  showLibrary,
  ...memberFees,
  showMyPurchases,
  showPurchase,
  continueCheckout,
  discardCheckout,
  showReceipt,
  showChargeReceipt,
  ...member,
  ...mySubscriptions,
];

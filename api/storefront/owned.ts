// What a person has bought, owns and pays for again and again, in one list.
import type { Route } from '../route.ts';
import { showLibrary } from '../account/purchases/library.routes.ts';
import { member } from '../account/subscriptions/member.routes.ts';
import { showMyPurchases, showPurchase } from '../account/purchases/purchase.routes.ts';
import { showChargeReceipt, showReceipt } from '../account/purchases/receipt.routes.ts';
import { mySubscriptions } from '../account/subscriptions/subscription.routes.ts';

export const owned: readonly Route[] = [
  showLibrary,
  showMyPurchases,
  showPurchase,
  showReceipt,
  showChargeReceipt,
  ...member,
  ...mySubscriptions,
];

// What a person has bought, owns and pays for again and again, in one list.
import type { Route } from '../route.ts';
import { showLibrary } from './library/library.routes.ts';
import { member } from './renewals/member.routes.ts';
import { showMyPurchases, showPurchase } from './purchase.routes.ts';
import { showChargeReceipt, showReceipt } from './receipts/receipt.routes.ts';
import { mySubscriptions } from './renewals/subscription.routes.ts';

export const owned: readonly Route[] = [
  showLibrary,
  showMyPurchases,
  showPurchase,
  showReceipt,
  showChargeReceipt,
  ...member,
  ...mySubscriptions,
];

// Keys, grants, purchases and subscribers of a product, in one list.
import type { Route } from '../route.ts';
import { createGrant, showGrants, withdrawOneGrant } from './grants.routes.ts';
import { changeApiKey, createApiKey, showKeys } from './credentials/keys.routes.ts';
import { showPurchases, showSale } from './purchases/purchases.routes.ts';
import { downloadFigures, showRecurring } from './subscribers/recurring.routes.ts';
import { downloadSubscribers, showSubscribers } from './subscribers/subscribers.routes.ts';
import { askToRefund, refundPurchase } from './purchases/refund.routes.ts';

export const productConsole: Route[] = [
  showKeys,
  createApiKey,
  changeApiKey,
  showGrants,
  createGrant,
  withdrawOneGrant,
  showPurchases,
  showSale,
  askToRefund,
  refundPurchase,
  showSubscribers,
  downloadSubscribers,
  showRecurring,
  downloadFigures,
];

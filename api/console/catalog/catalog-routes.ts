// The routes of a product's listing, prices and sales settings.
import type { Route } from '../../http/route.ts';
import { saveListing, saveSlug, showListing } from './listing.routes.ts';
import { changePayouts, returnFromProcessor } from '../sales/payouts.routes.ts';
import { changePrice, savePrice, showPrices } from './prices.routes.ts';
import { replacePayouts, showReplacement } from '../sales/replace-payouts.routes.ts';
import { removeForGood, showRemoval } from './remove.routes.ts';
import {
  changeCommercialOperator,
  changeIncluded,
  changeListingState,
  showSalesSettings,
} from '../sales/sales-settings.routes.ts';

export const catalogRoutes: readonly Route[] = [
  showListing,
  saveListing,
  saveSlug,
  showPrices,
  savePrice,
  changePrice,
  showSalesSettings,
  changeListingState,
  changeCommercialOperator,
  changeIncluded,
  changePayouts,
  returnFromProcessor,
  showReplacement,
  replacePayouts,
  showRemoval,
  removeForGood,
];

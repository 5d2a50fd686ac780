// What a product is called, costs and needs before it is sold, in the console.
import type { Route } from '../../route.ts';
import { saveListing, saveSlug, showListing } from './listing.routes.ts';
import { changePayouts, returnFromProcessor } from './payouts.routes.ts';
import { changePrice, savePrice, showPrices } from './prices.routes.ts';
import { removeForGood, showRemoval } from './remove.routes.ts';
import { changeCommercialOperator, changeListingState, showSelling } from './selling.routes.ts';

export const catalogueConsole: readonly Route[] = [
  showListing,
  saveListing,
  saveSlug,
  showPrices,
  savePrice,
  changePrice,
  showSelling,
  changeListingState,
  changeCommercialOperator,
  changePayouts,
  returnFromProcessor,
  showRemoval,
  removeForGood,
];

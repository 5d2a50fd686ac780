// The console's front page, and of each product its credentials, grants, sales and subscribers, in one list.
import type { Route } from '../http/route.ts';
import { createGrant, showGrants, withdrawOneGrant } from './grants/grants.routes.ts';
import { changeApiKey, createApiKey, showKeys } from './credentials/keys.routes.ts';
import { showPurchases, showSale } from './sales/purchases.routes.ts';
import { downloadFigures, showRecurring } from './sales/report.routes.ts';
import { downloadSubscribers, showSubscribers } from './sales/subscribers.routes.ts';
import {
  changeRedirectUris,
  changeRegisteredClient,
  createRegisteredClient,
  showClients,
} from './credentials/clients.routes.ts';
import { showProductAudit } from './teams/audit.routes.ts';
import { showConsole, showRoles } from './console.routes.ts';
import { createDraft, showNewProduct } from './catalog/new-product.routes.ts';
import { downloadPool, downloadPoolMonth, showPool, showPoolMonth } from './sales/pool.routes.ts';
import { showDisputes } from './sales/disputes.routes.ts';
import { showManagedProduct } from './catalog/product.routes.ts';
import { appealForSeal, showSeal } from './catalog/seal.routes.ts';
import { showShare } from './catalog/share.routes.ts';
import { showTransfer, transfer } from './catalog/transfer.routes.ts';
import { downloadUsage, showUsage } from './usage/usage.routes.ts';
import { askForVerification, showVerification } from './teams/verification.routes.ts';
import { downloadEntries, showLatestStatement, showStatement } from './sales/statements.routes.ts';
import { askToRefund, refundPurchase } from './sales/refund.routes.ts';

export const productConsole: readonly Route[] = [
  showConsole,
  showRoles,
  showVerification,
  askForVerification,
  showNewProduct,
  createDraft,
  showManagedProduct,
  showShare,
  showSeal,
  appealForSeal,
  showDisputes,
  showUsage,
  downloadUsage,
  showLatestStatement,
  showStatement,
  downloadEntries,
  showPool,
  downloadPool,
  showPoolMonth,
  downloadPoolMonth,
  showTransfer,
  transfer,
  showProductAudit,
  showClients,
  createRegisteredClient,
  changeRegisteredClient,
  changeRedirectUris,
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

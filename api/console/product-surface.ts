// The console's front page, and of each product its credentials, grants, sales and subscribers, in one list.
import type { Route } from '../route.ts';
import { createGrant, showGrants, withdrawOneGrant } from './grants/grants.routes.ts';
import { changeApiKey, createApiKey, showKeys } from './credentials/keys.routes.ts';
import { showPurchases, showSale } from './purchases/purchases.routes.ts';
import { downloadFigures, showRecurring } from './subscribers/report.routes.ts';
import { downloadSubscribers, showSubscribers } from './subscribers/subscribers.routes.ts';
import {
  changeRedirectUris,
  changeRegisteredClient,
  createRegisteredClient,
  showClients,
} from './credentials/clients.routes.ts';
import { showProductAudit } from './audit/audit.routes.ts';
import { showConsole, showRoles } from './console.routes.ts';
import { createDraft, showNewProduct } from './products/new-product.routes.ts';
import { downloadPool, downloadPoolMonth, showPool, showPoolMonth } from './pool/pool.routes.ts';
import { showDisputes } from './products/disputes.routes.ts';
import { showManagedProduct } from './products/product.routes.ts';
import { appealForSeal, showSeal } from './seal/seal.routes.ts';
import { showShare } from './share/share.routes.ts';
import { showTransfer, transfer } from './products/transfer.routes.ts';
import { downloadUsage, showUsage } from './usage/usage.routes.ts';
import { askForVerification, showVerification } from './verification/verification.routes.ts';
import {
  downloadEntries,
  showLatestStatement,
  showStatement,
} from './statements/statements.routes.ts';
import { askToRefund, refundPurchase } from './purchases/refund.routes.ts';

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

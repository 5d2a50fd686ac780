export { entitlementLifecycle } from './entitlement-lifecycle.ts';
export { ledgerCheck } from './ledger-check.ts';
export { purchaseClearing } from './purchase-clearing.ts';
export { reconcile } from './reconcile.ts';
export { recoverDeliveries } from './recover-deliveries.ts';
export { sendMail } from './send-mail.ts';
export { upkeep } from './upkeep.ts';
export { webhookDelivery } from './webhook-delivery.ts';

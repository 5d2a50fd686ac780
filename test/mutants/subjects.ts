// What is changed, and which tests should notice: those that need no engine, the likeliest first.
import { globSync } from 'node:fs';
import { findBundled } from './bundle.ts';

export type Subject = { file: string; tests: string[]; isBundled: boolean };

/** The steps that tell most of a file; those of the other workflows come after them. */
const STEPS: Record<string, string[]> = {
  'workflows/billing/purchase-clearing.ts': ['billing'],
  'workflows/billing/run-subscription.ts': ['billing'],
  'workflows/billing/subscription-lifecycle.ts': ['billing'],
  'workflows/entitlements/membership-lifecycle.ts': ['billing'],
  'workflows/entitlements/entitlement-lifecycle.ts': ['entitlement-lifecycle'],
  'workflows/pool/pool-period.ts': ['pool-period'],
  'workflows/pool/pool-months.ts': ['pool-period'],
  'workflows/pool/pool-payout.ts': ['pool-payout', 'retries'],
  'workflows/webhooks/webhook-delivery.ts': ['webhook-delivery', 'retries'],
  'workflows/webhooks/delivery-cohort.ts': ['retries'],
  'workflows/retries/retry-now.ts': ['retries'],
  'workflows/retries/attempt-when-due.ts': ['webhook-delivery', 'retries'],
  'workflows/signals.ts': ['entitlement-lifecycle', 'batches'],
  'workflows/visibility.ts': ['batches', 'webhook-delivery'],
  'workflows/contracts.ts': ['contracts'],
  'workflows/index.ts': ['contracts'],
  'workflows/versioning.ts': ['contracts'],
};

/** The rules that workflows use, and those by which their activities decide. */
const RULES: Record<string, string[]> = {
  'domain/billing/disputes/dispute-status.ts': ['dispute-status'],
  'domain/billing/ledger/booking.ts': ['booking'],
  'domain/billing/memberships/membership-move.ts': ['membership-state', 'membership-move'],
  'domain/billing/processor-inbox/reconcile-schedule.ts': ['reconcile-schedule'],
  'domain/billing/purchases/payment-status.ts': ['purchase-status'],
  'domain/billing/purchases/purchase-status.ts': ['purchase-status'],
  'domain/billing/refunds/refund-status.ts': ['refund-status'],
  'domain/billing/returned-money/decide-returned-purchase.ts': ['refund-status'],
  'domain/billing/recurring/next-state.ts': ['next-state'],
  'domain/billing/recurring/next-check.ts': ['next-check', 'subscription-rules'],
  'domain/billing/recurring/processor-snapshot.ts': ['next-state'],
  'domain/billing/recurring/reported-state.ts': ['reported-state', 'subscription-rules'],
  'domain/billing/recurring/status-moves.ts': ['next-state', 'subscription-rules'],
  'domain/entitlements/effective-access.ts': ['effective-access'],
  'domain/entitlements/decide-entitlement-event.ts': ['decide-entitlement-event'],
  'domain/entitlements/expiry.ts': ['decide-entitlement-event'],
  'domain/entitlements/memberships/membership-access.ts': ['effective-access'],
  'domain/identity/mail/mail-purpose.ts': ['mail-purpose'],
  'domain/outbox/workflow-targets.ts': ['workflow-targets'],
  'domain/pool/payout-lines/transfer-schedule.ts': ['transfer-schedule'],
  'domain/shared/wait-until-due.ts': ['webhooks'],
  'domain/webhooks/deliveries/retry-schedule.ts': ['webhooks'],
  'domain/webhooks/recoveries/recovery.ts': ['recovery'],
};

export function listSubjects(root: string): Subject[] {
  const find = (pattern: string) => globSync(pattern, { cwd: root }).toSorted();
  const steps = find('test/workflows/steps/*.test.ts');
  const rules = find('test/domain/**/*.test.ts');
  const bundled = findBundled();
  const named = (tests: string[], names: string[] = []) =>
    names.flatMap((name) => tests.filter((test) => test.endsWith(`/${name}.test.ts`)));
  return [...find('workflows/**/*.ts'), ...Object.keys(RULES)].map((file) => {
    const isBundled = bundled.has(file);
    const first = [...named(rules, RULES[file]), ...named(steps, STEPS[file])];
    const tests = [...new Set([...first, ...(isBundled ? steps : [])])];
    return { file, tests, isBundled };
  });
}

// What is changed, and which tests should notice: those that need no engine, the likeliest first.
import { globSync } from 'node:fs';
import { findBundled } from './bundle.ts';

export type Subject = { file: string; tests: string[]; isBundled: boolean };

/** The steps that tell most of a file; those of the other workflows come after them. */
const STEPS: Record<string, string[]> = {
  'workflows/billing/purchase-clearing.ts': ['purchase-clearing'],
  'workflows/billing/subscriptions.ts': ['subscriptions'],
  'workflows/billing/subscription-lifecycle.ts': ['subscriptions'],
  'workflows/entitlements/membership-lifecycle.ts': ['subscriptions'],
  'workflows/entitlements/entitlement-lifecycle.ts': ['entitlement-lifecycle'],
  'workflows/webhooks/webhook-delivery.ts': ['webhook-delivery', 'retry-now'],
  'workflows/webhooks/delivery-cohort.ts': ['delivery-cohort', 'retry-now'],
  'workflows/webhooks/retry-now.ts': ['retry-now'],
  'workflows/signals.ts': ['entitlement-lifecycle', 'batches'],
  'workflows/visibility.ts': ['batches', 'webhook-delivery'],
  'workflows/contracts.ts': ['contracts'],
  'workflows/index.ts': ['contracts'],
  'workflows/versioning.ts': ['contracts'],
};

/** The rules that workflows use, and those by which their activities decide. */
const RULES: Record<string, string> = {
  'domain/billing/disputes/dispute-status.ts': 'billing/disputes/dispute-status',
  'domain/billing/ledger/booking.ts': 'billing/ledger/booking',
  'domain/billing/memberships/membership-move.ts': 'billing/memberships/membership-move',
  'domain/billing/processor-inbox/reconcile-schedule.ts':
    'billing/processor-inbox/reconcile-schedule',
  'domain/billing/purchases/compare-paid.ts': 'billing/purchases/purchase-status',
  'domain/billing/purchases/purchase-status.ts': 'billing/purchases/purchase-status',
  'domain/billing/refunds/refund-status.ts': 'billing/refunds/refund-status',
  'domain/billing/subscriptions/recurring-billing.ts': 'billing/subscriptions/subscription-rules',
  'domain/billing/subscriptions/subscription-due.ts': 'billing/subscriptions/subscription-rules',
  'domain/billing/subscriptions/subscription-reading.ts':
    'billing/subscriptions/subscription-rules',
  'domain/billing/subscriptions/subscription-state.ts': 'billing/subscriptions/subscription-rules',
  'domain/billing/subscriptions/subscription-status.ts': 'billing/subscriptions/subscription-rules',
  'domain/entitlements/effective-access.ts': 'entitlements/effective-access',
  'domain/entitlements/entitlement-event.ts': 'entitlements/entitlement-event',
  'domain/outbox/actors.ts': 'outbox/actors',
  'domain/webhooks/deliveries/retry-schedule.ts': 'webhooks/webhooks',
  'domain/webhooks/recoveries/recovery.ts': 'webhooks/recovery',
};

export function listSubjects(root: string): Subject[] {
  const bundled = findBundled();
  const steps = globSync('test/workflows/steps/*.test.ts', { cwd: root }).toSorted();
  const ruleTest = (name: string) => `test/domain/${name}.test.ts`;
  const stepsFor = (file: string) => {
    const first = (STEPS[file] ?? []).map((name) => `test/workflows/steps/${name}.test.ts`);
    return [...first, ...steps.filter((step) => !first.includes(step))];
  };
  const files = [...globSync('workflows/**/*.ts', { cwd: root }).toSorted(), ...Object.keys(RULES)];
  return files.map((file) => {
    const isBundled = bundled.has(file);
    const rule = RULES[file];
    const tests = [...(rule ? [ruleTest(rule)] : []), ...(isBundled ? stepsFor(file) : [])];
    return { file, tests, isBundled };
  });
}

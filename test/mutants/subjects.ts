// What is changed, and which tests should notice.
import { globSync } from 'node:fs';

type Subject = { file: string; tests: string[] };

const STEPS = 'test/workflows/steps/*.test.ts';
const OF: Record<string, string[]> = {
  'workflows/billing/purchase-clearing.ts': ['purchase-clearing'],
  'workflows/billing/subscriptions.ts': ['subscriptions'],
  'workflows/billing/subscription-lifecycle.ts': ['subscriptions'],
  'workflows/entitlements/membership-lifecycle.ts': ['subscriptions'],
  'workflows/entitlements/entitlement-lifecycle.ts': ['entitlement-lifecycle'],
  'workflows/webhooks/webhook-delivery.ts': ['webhook-delivery'],
  'workflows/webhooks/delivery-cohort.ts': ['delivery-cohort'],
  'workflows/signals.ts': ['entitlement-lifecycle', 'batches', 'purchase-clearing'],
  'workflows/visibility.ts': ['batches', 'webhook-delivery', 'purchase-clearing', 'subscriptions'],
  'workflows/activities.ts': ['batches', 'purchase-clearing', 'webhook-delivery'],
  'workflows/contracts.ts': ['contracts', 'batches'],
  'workflows/index.ts': ['contracts'],
  'workflows/versioning.ts': ['contracts'],
};

/** The pure rules that workflows use, and rules whose mutants have survived before. */
const RULES: Record<string, string[]> = {
  'domain/webhooks/deliveries/retry-schedule.ts': [
    'test/domain/webhooks/webhooks.test.ts',
    'test/workflows/steps/webhook-delivery.test.ts',
    'test/workflows/steps/delivery-cohort.test.ts',
  ],
  'domain/billing/purchases/purchase-status.ts': [
    'test/domain/billing/purchases/purchase-status.test.ts',
  ],
  'domain/billing/disputes/dispute-status.ts': [
    'test/domain/billing/disputes/dispute-status.test.ts',
  ],
  'domain/billing/subscriptions/subscription-state.ts': [
    'test/domain/billing/subscriptions/subscription-rules.test.ts',
  ],
  'domain/billing/subscriptions/subscription-due.ts': [
    'test/domain/billing/subscriptions/subscription-rules.test.ts',
  ],
  'domain/billing/refunds/refund-status.ts': ['test/domain/billing/refunds/refund-status.test.ts'],
};

export function listSubjects(root: string): Subject[] {
  const workflows = globSync('workflows/**/*.ts', { cwd: root }).toSorted();
  const steps = (names: string[]) => names.map((name) => STEPS.replace('*', name));
  return [
    ...workflows.map((file) => ({ file, tests: steps(OF[file] ?? ['batches']) })),
    ...Object.entries(RULES).map(([file, tests]) => ({ file, tests })),
  ];
}

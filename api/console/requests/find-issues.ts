// What is wrong with a product: on its overview, its diagnostics and among the notifications.
import {
  diagnose,
  type Issue,
  type Failures,
  failingIssues,
} from '../../../domain/catalog/diagnose.ts';
import { countOpenDisputes } from '../../../domain/billing/disputes/dispute-list.repository.ts';
import { listFailedPayouts } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import { describePayoutFailure } from '../../../domain/catalog/payouts/payout-failure.ts';
import { countFailedRenewals } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { countFailingDeliveries } from '../../../domain/webhooks/deliveries/failing-deliveries.repository.ts';
import { listEndpointHealth } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { withShownAddress } from '../webhooks/endpoint-address.ts';

type IssueSources = { product: ManagedProduct; keys: KeyView[]; clients: RegisteredClient[] };

/** Returns null for a product that is sold elsewhere, which has no integration. */
export async function findIssues(
  em: EntityManager,
  { product, keys, clients }: IssueSources,
): Promise<Issue[] | null> {
  if (product.delivery !== 'entitlement_api') return null;
  const endpoints = await listEndpointHealth(em, product.id);
  const failures = await readFailures(em, [product.id]);
  return diagnose({
    keys,
    clients: clients.map(({ name, isDisabled, secrets }) => ({
      name,
      isDisabled,
      secretsEnd: secrets.flatMap(({ expiresAt }) => (expiresAt ? [new Date(expiresAt)] : [])),
    })),
    endpoints: endpoints.map((endpoint) => withShownAddress(product, endpoint)),
    ...(failures.get(product.id) ?? NO_FAILURES),
  });
}

const NO_FAILURES: Failures = {
  retrying: 0,
  dead: 0,
  held: 0,
  openDisputes: 0,
  disputeDueAt: null,
  failedRenewals: 0,
  failedPayout: null,
};

/** What is failing, by product; of these products, or of all for null. */
export async function readFailures(
  em: EntityManager,
  productIds: readonly string[] | null,
): Promise<Map<string, Failures>> {
  const failures = new Map<string, Failures>();
  const add = (productId: string, found: Partial<Failures>) => {
    failures.set(productId, { ...NO_FAILURES, ...failures.get(productId), ...found });
  };
  for (const { productId, ...counts } of await countFailingDeliveries(em, productIds)) {
    add(productId, counts);
  }
  for (const { productId, count, dueAt } of await countOpenDisputes(em, productIds)) {
    add(productId, { openDisputes: count, disputeDueAt: dueAt });
  }
  for (const { productId, count } of await countFailedRenewals(em, productIds)) {
    add(productId, { failedRenewals: count });
  }
  for (const { productId, reason, madeAt } of await listFailedPayouts(em, productIds)) {
    add(productId, { failedPayout: { ...describePayoutFailure(reason), madeAt } });
  }
  return failures;
}

export type FailingProduct = { product: ManagedProduct; issues: Issue[] };

/** The products of which something is failing, with what it is. */
export async function findFailing(
  em: EntityManager,
  products: readonly ManagedProduct[],
): Promise<FailingProduct[]> {
  const productIds = products.map(({ id }) => id);
  const failures = await readFailures(em, productIds);
  // A payout fails for all products of an owner: the first one shows it.
  const firstOfOwner = new Map<string, string>();
  for (const { id, ownerTeamId, ownerPersonId } of products) {
    const owner = ownerTeamId ?? ownerPersonId!;
    if ((failures.get(id)?.failedPayout ?? null) !== null && !firstOfOwner.has(owner)) {
      firstOfOwner.set(owner, id);
    }
  }
  const showsPayout = new Set(firstOfOwner.values());
  return products.flatMap((product) => {
    const failed = failures.get(product.id);
    if (failed === undefined) return [];
    const issues = failingIssues(
      showsPayout.has(product.id) ? failed : { ...failed, failedPayout: null },
    );
    return issues.length === 0 ? [] : [{ product, issues }];
  });
}

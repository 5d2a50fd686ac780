import { z } from 'zod';
import { listLibrary, type LibraryItem } from '../../../domain/entitlements/library.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { findMembershipOf } from '../../../domain/billing/memberships/membership-view.repository.ts';
import { listUnfinishedOf } from '../../../domain/billing/purchases/buyer-purchases.repository.ts';
import { listReceiptsAmong } from '../../../domain/billing/receipts/receipt.repository.ts';
import { listSubscriptionsAmong } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import { page } from '../../http/response.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { SIGN_IN_POLICY } from '../../http/security-headers.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { LIBRARY } from '../library-frame.ts';
import { libraryPage } from './library.page.ts';
import { cursor, uuid } from '../../http/fields.ts';

const showLibrary = defineRoute({
  ...SESSION_PAGE,
  path: LIBRARY,
  summary: 'Show the library',
  input: { query: z.object({ after: cursor(uuid().toLowerCase()).catch(null) }) },
  // Another card is typed in at the processor's page.
  contentSecurityPolicy: SIGN_IN_POLICY,
  async handler(context) {
    const { database } = context.services;
    const { personId } = context.currentUser;
    const { after } = context.query;
    const em = database.em();
    const { items, next } = await listLibrary(em, { personId, after });
    const membership = await findMembershipOf(em, personId);
    const isRunning = membership !== null && !NOT_RUNNING.includes(membership.status);
    const bought = await findBought(em, { personId, items });
    const unfinished = await listUnfinishedOf(em, { personId });
    const token = sessionFormToken(context);
    const hasFees = membership !== null && membership.status !== 'incomplete';
    const shown = { items, next, after, token, unfinished, hasFees, ...bought };
    return page(context, libraryPage({ ...shown, membership: isRunning ? membership : null }));
  },
});

const NOT_RUNNING: readonly string[] = ['incomplete', 'ended'];

/** The subscriptions behind the purchases. */
async function findBought(
  em: EntityManager,
  { personId, items }: { personId: string; items: LibraryItem[] },
) {
  const sources = items.flatMap(({ through }) => through);
  const purchaseIds = sources
    .filter(({ type }) => type === 'purchase' || type === 'subscription')
    .map(({ source }) => source);
  const among = { personId, purchaseIds };
  const subscriptions = await listSubscriptionsAmong(em, among);
  return {
    subscriptions: new Map(subscriptions.map((each) => [each.purchaseId, each])),
    receipts: await listReceiptsAmong(em, among),
  };
}

export const routes = [showLibrary];

import { z } from 'zod';
import { listPayoutAccounts } from '../../../domain/catalog/payouts/payout-account.repository.ts';
import {
  listProductsOf,
  listRemovedProductsOf,
  type ManagedProduct,
} from '../../../domain/catalog/product.repository.ts';
import { listOwnerPayouts } from '../../../domain/pool/payout-lines/owner-payouts.repository.ts';
import { listMonthsOfSales } from '../../../domain/product-figures/home-figures.repository.ts';
import { addMonths } from '../../../domain/shared/instant.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { now } from '../../../platform/database/database.ts';
import { mark } from '../../http/fields.ts';
import { page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE, type SessionContext } from '../../http/route.ts';
import { loadScope, toOwner } from '../console-scope.ts';
import { requireAllowed } from '../managed-product.ts';
import { payoutsPage } from './payouts.page.ts';
import { statementsPage } from './statements.page.ts';

const input = { query: z.object({ owner: mark }) };

const MONTHS = 12;
const MOST_SHOWN = 200;

const showPayouts = defineRoute({
  ...SESSION_PAGE,
  path: '/console/payouts',
  summary: 'Show payout accounts and payouts',
  input,
  async handler(context) {
    const { scope, sold, em } = await load(context, context.query.owner);
    const { personId } = context.currentUser;
    const teamIds = [...new Set(sold.flatMap(({ ownerTeamId }) => ownerTeamId ?? []))];
    const isOwn = sold.some(({ ownerTeamId }) => ownerTeamId === null);
    const owners = { personId: isOwn ? personId : null, teamIds };
    const accounts = await listPayoutAccounts(em, owners);
    const payouts = await listOwnerPayouts(em, { ...owners, limit: MOST_SHOWN });
    return page(context, payoutsPage({ scope, sold, accounts, payouts }));
  },
});

const showStatements = defineRoute({
  ...SESSION_PAGE,
  path: '/console/statements',
  summary: 'List the statements of my products',
  input,
  async handler(context) {
    const { scope, sold, em } = await load(context, context.query.owner);
    const removed = await listRemovedProductsOf(em, context.currentUser.personId);
    const products = [...sold, ...removed.filter(toOwner(scope)).filter(seesMoney)];
    const from = addMonths(await now(em), 1 - MONTHS);
    const productIds = products.map(({ id }) => id);
    const months = await listMonthsOfSales(em, { productIds, from, limit: MOST_SHOWN });
    return page(context, statementsPage({ scope, products, months }));
  },
});

const seesMoney = ({ roles }: ManagedProduct) => isAllowed(roles, 'see_statements');

/** The products whose money the person may see. */
async function load(context: SessionContext, owner: string | undefined) {
  const em = context.services.database.em();
  const scope = await loadScope(context, owner);
  if (!scope.seesMoney)
    requireAllowed({ roles: scope.teams.map(({ role }) => role) }, 'see_statements');
  const products = await listProductsOf(em, context.currentUser.personId);
  return { em, scope, sold: products.filter(toOwner(scope)).filter(seesMoney) };
}

export const routes = [showPayouts, showStatements];

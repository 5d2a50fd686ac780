import { z } from 'zod';
import { listProductsOf, listRemovedProductsOf } from '../../domain/catalog/product.repository.ts';
import { listNotifications } from '../../domain/notifications/notification.repository.ts';
import { loadHomeFigures } from '../../domain/product-figures/home-figures.repository.ts';
import { isAllowed } from '../../domain/teams/permissions.ts';
import { now } from '../../platform/database/database.ts';
import { mark } from '../http/fields.ts';
import { page } from '../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../http/route.ts';
import { loadScope, toOwner } from './console-scope.ts';
import { consolePage } from './console.page.ts';
import { findFailing } from './requests/find-issues.ts';
import { rolesPage } from './teams/roles.page.ts';

const LATEST = 5;

const showConsole = defineRoute({
  ...SESSION_PAGE,
  path: '/console',
  summary: 'List my products',
  input: { query: z.object({ owner: mark }) },
  async handler(context) {
    const em = context.services.database.em();
    const { personId } = context.currentUser;
    const scope = await loadScope(context, context.query.owner);
    const isShown = toOwner(scope);
    const products = (await listProductsOf(em, personId)).filter(isShown);
    const removed = (await listRemovedProductsOf(em, personId))
      .filter(isShown)
      .filter(({ roles }) => isAllowed(roles, 'see_statements'));
    const at = await now(em);
    const productIds = products.map(({ id }) => id);
    const latest = await listNotifications(em, {
      personId,
      before: null,
      productIds: scope.owner === 'all' ? null : productIds,
      limit: LATEST,
    });
    const view = consolePage({
      scope,
      products,
      removed,
      figures: await loadHomeFigures(em, { productIds, now: at }),
      failing: await findFailing(em, products),
      latest: latest.lines,
      now: at,
    });
    return page(context, view);
  },
});

const showRoles = defineRoute({
  ...SESSION_PAGE,
  path: '/console/roles',
  summary: 'Show the permissions of each role',
  input: {},
  handler: async (context) => page(context, rolesPage(await loadScope(context))),
});

export const routes = [showConsole, showRoles];

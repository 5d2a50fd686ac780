import { listProductsOf, listRemovedProductsOf } from '../../domain/catalog/product.repository.ts';
import { isAllowed } from '../../domain/teams/permissions.ts';
import { listTeamsOf } from '../../domain/teams/team.repository.ts';
import { page } from '../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../http/route.ts';
import { consolePage } from './console.page.ts';
import { unreadOf } from './notifications/unread.ts';
import { rolesPage } from './teams/roles.page.ts';

const showConsole = defineRoute({
  ...SESSION_PAGE,
  path: '/console',
  summary: 'List my products',
  input: {},
  async handler(context) {
    const em = context.services.database.em();
    const { personId } = context.currentUser;
    const products = await listProductsOf(em, personId);
    const removed = (await listRemovedProductsOf(em, personId)).filter(({ roles }) =>
      isAllowed(roles, 'see_statements'),
    );
    const teams = await listTeamsOf(em, personId);
    const unread = await unreadOf(context);
    return page(context, consolePage({ products, removed, teams, unread }));
  },
});

const showRoles = defineRoute({
  ...SESSION_PAGE,
  path: '/console/roles',
  summary: 'Show the permissions of each role',
  input: {},
  handler: async (context) => page(context, rolesPage(await unreadOf(context))),
});

export const routes = [showConsole, showRoles];

import { z } from 'zod';
import { listAudit } from '../../../domain/audit/audit.repository.ts';
import { isAllowed } from '../../../domain/teams/permissions.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { auditPage } from './audit.page.ts';
import { productFrame, productPath, teamFrame, teamPath } from '../console-frame.ts';
import { loadManaged } from '../managed-product.ts';
import { loadTeam, teamRef } from './managed-team.ts';
import { cursor, uuid } from '../../http/fields.ts';

const query = z.object({ before: cursor(uuid()) });

const showTeamAudit = defineRoute({
  ...SESSION_PAGE,
  path: '/console/teams/:team/audit',
  summary: 'Show the audit trail of a team',
  input: { params: teamRef, query },
  async handler(context) {
    const team = await loadTeam(context);
    const { before } = context.query;
    const filter = { teamId: team.id };
    const trail = await listAudit(context.services.database.em(), { filter, before });
    const frame = teamFrame(team, '/audit', 'Audit trail');
    const path = `${teamPath(team.id)}/audit`;
    const showsAddresses = isAllowed([team.role], 'see_payloads');
    const title = `Audit of ${team.name}`;
    return page(context, auditPage({ title, frame, path, trail, showsAddresses, before }));
  },
});

const showProductAudit = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/audit',
  summary: 'Show the audit trail of a product',
  input: { params: productRef, query },
  async handler(context) {
    const product = await loadManaged(context);
    const { before } = context.query;
    // Hides entries from before the transfer: they belong to the previous owner.
    const filter = { productId: product.id, teamId: product.ownerTeamId };
    const trail = await listAudit(context.services.database.em(), { filter, before });
    const frame = productFrame(product, '/audit', 'Audit trail');
    const path = `${productPath(product.slug)}/audit`;
    const showsAddresses = isAllowed(product.roles, 'see_payloads');
    const title = `Audit of ${product.name}`;
    return page(context, auditPage({ title, frame, path, trail, showsAddresses, before }));
  },
});

export const routes = [showProductAudit, showTeamAudit];

import { z } from 'zod';
import { listAudit, type AuditFilter } from '../../../domain/audit/audit.repository.ts';
import { isAllowed, type ProductRole } from '../../../domain/teams/permissions.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { defineRoute, SESSION_PAGE, type SessionContext } from '../../http/route.ts';
import { auditPage } from './audit.page.ts';
import { productFrame, productPath, teamPath, type Frame } from '../console-frame.ts';
import { teamFrame } from '../team-frame.ts';
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
    const path = `${teamPath(team.id)}/audit`;
    const frame = teamFrame(team, '/audit', 'Audit trail');
    const filter = { teamId: team.id };
    return show(context, { name: team.name, roles: [team.role], path, frame, filter });
  },
});

const showProductAudit = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/audit',
  summary: 'Show the audit trail of a product',
  input: { params: productRef, query },
  async handler(context) {
    const product = await loadManaged(context);
    const path = `${productPath(product.slug)}/audit`;
    const frame = productFrame(product, '/audit', 'Audit trail');
    // Hides entries from before the transfer: they belong to the previous owner.
    const filter = { productId: product.id, teamId: product.ownerTeamId };
    return show(context, { name: product.name, roles: product.roles, path, frame, filter });
  },
});

type TrailCall = SessionContext & { query: z.output<typeof query> };
type Audited = {
  name: string;
  roles: readonly ProductRole[];
  path: string;
  frame: Frame;
  filter: AuditFilter;
};

async function show(context: TrailCall, { name, roles, path, frame, filter }: Audited) {
  const { before } = context.query;
  const trail = await listAudit(context.services.database.em(), { filter, before });
  const showsAddresses = isAllowed(roles, 'see_payloads');
  const title = `Audit of ${name}`;
  return page(context, auditPage({ title, frame, path, trail, showsAddresses, before }));
}

export const routes = [showProductAudit, showTeamAudit];

import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import { lockProductsOf } from '../catalog/product-lifecycle.repository.ts';
import { indexProducts } from '../catalog/search/index-products.repository.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { renameTeam } from './team.repository.ts';

/** Changes the name under which the team sells. */
export async function changeTeamName(
  em: EntityManager,
  { teamId, name, by }: { teamId: string; name: string; by: Actor },
): Promise<{ before: string } | Refusal<'gone'>> {
  return inTransaction(em, async (em) => {
    const renamed = await renameTeam(em, { teamId, name });
    if (!renamed) return refuse('gone');
    await indexProducts(em, await lockProductsOf(em, { teamId }));
    const detail = { from: renamed.before, to: name };
    await recordAudit(em, { by, teamId, subject: teamId, action: 'team.renamed', detail });
    return renamed;
  });
}

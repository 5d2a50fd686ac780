import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import { newUuid } from '../shared/ids.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { isAllowed } from '../teams/permissions.ts';
import { lockTeam } from '../teams/team.repository.ts';
import { countOwned, insertProduct, lockConfirmed } from './new-product.repository.ts';

const MOST_OF_ONE_OWNER = 100;
const MOST_TRIES = 20;

type Draft = {
  name: string;
  tagline: string;
  slug: string;
  /** The slug is a proposal: while it is taken, the next number is appended to it. */
  isProposed: boolean;
  /** The team that owns the product; null for a personal product. */
  teamId: string | null;
  by: Actor & { personId: string };
};

/** Creates a draft for a person with a confirmed address. */
export async function createProduct(
  em: EntityManager,
  { name, tagline, slug: base, isProposed, teamId, by }: Draft,
): Promise<
  | { productId: string; slug: string }
  | Refusal<'not_allowed' | 'not_confirmed' | 'too_many' | 'slug_taken'>
> {
  return inTransaction(em, async (em) => {
    const { personId } = by;
    // The lock decides against the deletion of the account at the same moment.
    if (!(await lockConfirmed(em, personId))) return refuse('not_confirmed');
    const role = teamId === null ? null : await lockTeam(em, { teamId, personId });
    const mayCreate = role !== null && isAllowed([role], 'edit_listing');
    if (teamId !== null && !mayCreate) return refuse('not_allowed');
    const owner = { ownerPersonId: teamId === null ? personId : null, ownerTeamId: teamId };
    if ((await countOwned(em, owner)) >= MOST_OF_ONE_OWNER) return refuse('too_many');
    const productId = newUuid();
    const slugs = Array.from({ length: isProposed ? MOST_TRIES : 1 }, (_, index) =>
      index === 0 ? base : `${base}-${index + 1}`,
    );
    for (const slug of slugs) {
      if (!(await insertProduct(em, { id: productId, slug, name, tagline, ...owner }))) continue;
      const entry = { action: 'product.created', subject: productId, detail: { slug } } as const;
      await recordAudit(em, { by, productId, teamId, ...entry });
      return { productId, slug };
    }
    return refuse('slug_taken');
  });
}

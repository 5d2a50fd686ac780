import { inTransaction, now, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit, type Actor } from '../audit/audit.repository.ts';
import { indexProducts } from '../catalog/search/index-products.repository.ts';
import { isRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import {
  findAppeal,
  findAppealedProduct,
  findReviewedAt,
  insertAppeal,
  settleAppeal,
} from './appeal.repository.ts';
import { lockSeals, moveSeal } from './seal.repository.ts';
import { decideSeal, mayAppeal, mayNotAppealYet } from './seal-state.ts';

type Person = Actor & { personId: string };

type AppealInput = { productId: string; teamId: string | null; text: string; by: Person };

/**
 * Appeals against a review. The seal is locked, so that no review and no operator takes the reason away
 * meanwhile.
 */
export async function appealAgainst(
  em: EntityManager,
  { productId, teamId, text, by }: AppealInput,
): Promise<{ appealId: string } | Refusal<'nothing_to_appeal' | 'already_open' | 'declined'>> {
  return inTransaction(em, async (em) => {
    const seal = (await lockSeals(em, [productId])).get(productId);
    if (!seal || !mayAppeal(seal)) return refuse('nothing_to_appeal');
    const last = await findAppeal(em, productId);
    if (mayNotAppealYet(last, await findReviewedAt(em, productId))) return refuse('declined');
    const made = await insertAppeal(em, { productId, personId: by.personId, text });
    if (isRefusal(made)) return made;
    const entry = { action: 'seal.appealed', subject: made.appealId } as const;
    await recordAudit(em, { by, productId, teamId, ...entry });
    return made;
  });
}

const ACTIONS = { restored: 'seal.restored', declined: 'seal.appeal_declined' } as const;

/** Answers an appeal as an operator. A restored seal is held until the next review. */
export async function answerAppeal(
  em: EntityManager,
  { appealId, outcome, by }: { appealId: string; outcome: keyof typeof ACTIONS; by: Person },
): Promise<{ productId: string } | Refusal<'answered' | 'nothing_to_restore'>> {
  return inTransaction(em, async (em) => {
    const appealed = await findAppealedProduct(em, appealId);
    if (!appealed) return refuse('answered');
    const { productId } = appealed;
    const before = (await lockSeals(em, [productId])).get(productId);
    const isRestored = outcome === 'restored';
    const restored = before && decideSeal(before, { kind: 'restored' });
    if (isRestored && !restored) return refuse('nothing_to_restore');
    const isSettled = await settleAppeal(em, { appealId, byId: by.personId, outcome });
    if (!isSettled) return refuse('answered');
    if (isRestored) {
      moveSeal(before!, { seal: restored!.seal, at: await now(em) });
      await indexProducts(em, [productId]);
    }
    const entry = { action: ACTIONS[outcome], subject: appealId } as const;
    await recordAudit(em, { by, ...appealed, ...entry });
    return { productId };
  });
}

import { now, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import {
  findAppealedProduct,
  insertAppeal,
  settleAppeal,
  type AppealedProduct,
  type NewAppeal,
} from './appeal.repository.ts';
import { lockSeals, writeSeals } from '../seal.repository.ts';
import { decideSeal, mayAppeal } from '../seal-state.ts';

/** The seal is locked, so that no review and no operator takes the reason away meanwhile. */
export async function appealAgainst(
  em: EntityManager,
  appeal: NewAppeal,
): Promise<{ appealId: string } | Refusal<'nothing_to_appeal' | 'already_open'>> {
  const { productId } = appeal;
  const seal = (await lockSeals(em, [productId])).get(productId);
  if (!seal || !mayAppeal(seal)) return refuse('nothing_to_appeal');
  return insertAppeal(em, appeal);
}

type Answer = { appealId: string; byId: string; outcome: 'restored' | 'declined' };

/** An operator's answer. A restored seal is held until the next review. */
export async function answerAppeal(
  em: EntityManager,
  answer: Answer,
): Promise<AppealedProduct | Refusal<'answered' | 'nothing_to_restore'>> {
  const appealed = await findAppealedProduct(em, answer.appealId);
  if (!appealed) return refuse('answered');
  const { productId } = appealed;
  const before = (await lockSeals(em, [productId])).get(productId);
  const isRestored = answer.outcome === 'restored';
  const restored = before && decideSeal(before, { kind: 'restored' });
  if (isRestored && !restored) return refuse('nothing_to_restore');
  if (!(await settleAppeal(em, answer))) return refuse('answered');
  if (isRestored) {
    const { seal } = restored!;
    await writeSeals(em, [{ productId, before: before!, seal }], await now(em));
  }
  return appealed;
}

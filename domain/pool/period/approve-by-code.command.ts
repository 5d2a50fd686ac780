import { now, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { TokenSigner } from '../../shared/secrets.ts';
import { readApprovalCode, signedText } from './approval-code.ts';
import { approvePeriod, isOperator, type ApprovalRefusal } from './approve-period.repository.ts';

type CodeRefusal = Refusal<'invalid_code' | 'expired_code'>;

/** Approves in the name of the code's operator. A used code finds its month approved. */
export async function approveByCode(
  em: EntityManager,
  { periodId, code, signer }: { periodId: string; code: string; signer: TokenSigner },
): Promise<{ approvedAt: Date } | CodeRefusal | ApprovalRefusal> {
  const read = readApprovalCode(code);
  if (read === null) return refuse('invalid_code');
  const { personId: byId, productsMinor, expiresAtMs, signature } = read;
  const isOurs = signer.isSigned('pool_approval', signedText(periodId, read), signature);
  if (!isOurs) return refuse('invalid_code');
  if (expiresAtMs <= (await now(em)).getTime()) return refuse('expired_code');
  if (!(await isOperator(em, byId))) return refuse('invalid_code');
  return approvePeriod(em, { periodId, byId, productsMinor, via: 'Temporal' });
}

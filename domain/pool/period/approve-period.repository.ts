import { recordAudit } from '../../audit/audit.repository.ts';
import { poolPeriodWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { PoolPeriod } from './pool-period.entity.ts';

type Approval = {
  periodId: string;
  byId: string;
  /** Is null where it is unknown, as in Temporal. */
  ip?: string | null;
  /** The place of the approval, when it was not the console. */
  via?: string;
  /** The sum that was approved, where it could have been another: the month has to have it. */
  productsMinor?: number;
};

/** `approvedBy` is a handle: null for a period that nobody has approved. */
export type ApprovalRefusal = Refusal<'not_in_review' | 'already_approved' | 'no_period'> & {
  approvedBy: string | null;
  approvedAt: Date | null;
};

/** Approves for the first of two operators; the refusal of the other names the first. */
export async function approvePeriod(
  em: EntityManager,
  { periodId, byId, ip = null, via, productsMinor }: Approval,
): Promise<{ approvedAt: Date } | ApprovalRefusal> {
  const approvedAt = await now(em);
  const approved = { status: 'approved', approvedAt, approvedBy: byId } as const;
  const inReview = {
    id: periodId,
    status: 'in_review',
    ...(productsMinor !== undefined && { productsMinor }),
  } as const;
  if ((await em.nativeUpdate(PoolPeriod, inReview, approved)) === 0) return explain(em, periodId);
  await recordAudit(em, {
    by: { personId: byId, ip },
    action: 'pool.approved',
    subject: periodId,
    ...(via !== undefined && { detail: { via } }),
  });
  await sendToWorkflow(em, poolPeriodWorkflow(periodId), { kind: 'approved' });
  return { approvedAt };
}

async function explain(em: EntityManager, periodId: string): Promise<ApprovalRefusal> {
  const found = await kysely(em)
    .selectFrom('poolPeriod')
    .leftJoin('person', 'person.id', 'poolPeriod.approvedBy')
    .select(['poolPeriod.approvedAt', 'person.handle as approvedBy'])
    .where('poolPeriod.id', '=', periodId)
    .executeTakeFirst();
  const { approvedAt = null, approvedBy = null } = found ?? {};
  const isApproved = approvedAt !== null;
  const reason = found ? (isApproved ? 'already_approved' : 'not_in_review') : 'no_period';
  return { ...refuse(reason), approvedAt, approvedBy };
}

/** Holds the person until the approval is written, so that an operator is one until then. */
export async function isOperator(em: EntityManager, personId: string): Promise<boolean> {
  const found = await kysely(em)
    .selectFrom('person')
    .select('id')
    .where('isOperator', '=', true)
    .where('deletedAt', 'is', null)
    .where('id', '=', personId)
    .forShare()
    .executeTakeFirst();
  return found !== undefined;
}

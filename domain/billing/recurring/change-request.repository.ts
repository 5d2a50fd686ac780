// A change that the person, or an operator, requests of a subscription or a membership. The row
// decides; its actor applies it.
import { sql, type ExpressionBuilder } from 'kysely';
import {
  membershipWorkflow,
  subscriptionWorkflow,
  type WorkflowTarget,
} from '../../outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../outbox/outbox.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { ASKED_SOON_AT } from '../processor-inbox/covered-events.repository.ts';

export type RequestedChange = 'cancel' | 'resume';

export type ChangeRequest = ({ subscriptionId: string } | { membershipId: string }) & {
  change: RequestedChange;
  /** The id of the workflow's Update, which may come again. */
  updateId?: string;
};

type ChangedRow = { table: 'subscription' | 'membership'; id: string; actor: WorkflowTarget };

/** Accepts one of two clicks: the other one is refused, and so is a late one. */
export async function requestChange(
  em: EntityManager,
  request: ChangeRequest,
): Promise<{ changeNumber: number } | Refusal<'unchanged'>> {
  const { change, updateId } = request;
  const renewed = find(request);
  const { table, id, actor } = renewed;
  if (updateId !== undefined && !(await isNew(em, renewed, updateId))) return refuse('unchanged');
  const changed = await kysely(em)
    .updateTable(table)
    .set(({ eb }) => ({
      requestedChange: change,
      changeNumber: eb('changeNumber', '+', 1),
      askAgainAt: ASKED_SOON_AT,
    }))
    .where('id', '=', id)
    // A membership without terms was given, and the processor does not have it.
    .where('priceId', 'is not', null)
    .where(ALLOWED[change])
    .returning('changeNumber')
    .executeTakeFirst();
  if (!changed) return refuse('unchanged');
  await sendToWorkflow(em, actor, { kind: change });
  return changed;
}

type Row = ExpressionBuilder<Tables, ChangedRow['table']>;

const isRunning = ({ eb }: Row) => eb('status', 'in', ['active', 'past_due']);
const isCanceling = ({ eb }: Row) => eb('status', '=', 'canceling');

/** The request changes something, or takes back one that is not applied yet. */
const ALLOWED = {
  cancel: (row: Row) =>
    row.or([
      row.and([isRunning(row), row('requestedChange', 'is distinct from', 'cancel')]),
      row.and([isCanceling(row), row('requestedChange', '=', 'resume')]),
    ]),
  // An unpaid one is not resumed: first the card, then the renewal.
  resume: (row: Row) =>
    row.or([
      row.and([
        isCanceling(row),
        row('requestedChange', 'is distinct from', 'resume'),
        row('graceEndsAt', 'is', null),
        row('cancelAt', '>', NOW),
      ]),
      row.and([isRunning(row), row('requestedChange', '=', 'cancel')]),
    ]),
};

const REMEMBERED = 100;

/** False for an Update that the row has seen, even without an effect. */
async function isNew(
  em: EntityManager,
  { table, id }: ChangedRow,
  updateId: string,
): Promise<boolean> {
  const seen = sql.ref('seenUpdates');
  const first = sql`greatest(1, cardinality(${seen}) + 2 - ${REMEMBERED}::int)`;
  const noted = await kysely(em)
    .updateTable(table)
    .set({ seenUpdates: sql`(array_append(${seen}, ${updateId}::text))[${first}:]` })
    .where('id', '=', id)
    .where(({ eb, fn, not, val }) => not(eb(val(updateId), '=', fn.any('seenUpdates'))))
    .executeTakeFirst();
  return noted.numUpdatedRows === 1n;
}

function find(request: ChangeRequest): ChangedRow {
  if ('subscriptionId' in request) {
    const { subscriptionId: id } = request;
    return { table: 'subscription', id, actor: subscriptionWorkflow(id) };
  }
  const { membershipId: id } = request;
  return { table: 'membership', id, actor: membershipWorkflow(id) };
}

import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { poolPeriodActor } from '../../outbox/actors.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';

/** After this time an unfinished preview may be asked for again. */
const MADE_WITHIN = '10 minutes';

/** False when the month is frozen, or while a preview of it is made. */
export async function requestPreview(em: EntityManager, periodId: string): Promise<boolean> {
  const requested = await kysely(em)
    .insertInto('poolPreview')
    .columns(['periodId', 'requestedAt'])
    .expression(({ selectFrom }) =>
      selectFrom('poolPeriod')
        .select(['id', NOW.as('requestedAt')])
        .where('id', '=', periodId)
        .where('status', '=', 'open')
        .forShare(),
    )
    .onConflict((conflict) =>
      conflict
        .column('periodId')
        .doUpdateSet({ requestedAt: NOW, computedAt: null })
        .where(({ or, eb }) =>
          or([
            eb('poolPreview.computedAt', 'is not', null),
            eb('poolPreview.requestedAt', '<', ago(MADE_WITHIN)),
          ]),
        ),
    )
    .executeTakeFirst();
  if (requested.numInsertedOrUpdatedRows === 0n) return false;
  await sendToActor(em, poolPeriodActor(periodId), { kind: 'preview' });
  return true;
}

/** As it was computed: products by their ids, in no order of amounts. */
export async function findPreview(em: EntityManager, periodId: string) {
  const preview = await kysely(em)
    .selectFrom('poolPreview')
    .select(['requestedAt', 'computedAt', 'figures'])
    .where('periodId', '=', periodId)
    .executeTakeFirst();
  return preview ?? null;
}

export type Preview = NonNullable<Awaited<ReturnType<typeof findPreview>>>;

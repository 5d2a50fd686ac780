import { hash } from 'node:crypto';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

const NAME_LENGTH = 32;

/** Sets the picture under a name of its own, so that no cache keeps the old one. */
export async function setPersonImage(
  em: EntityManager,
  { personId, bytes }: { personId: string; bytes: Buffer },
): Promise<void> {
  const name = hash('sha256', bytes, 'hex').slice(0, NAME_LENGTH);
  await kysely(em)
    .with('named', (query) =>
      query
        .updateTable('person')
        .set({ imageName: name })
        .where('id', '=', personId)
        .where('deletedAt', 'is', null)
        .returning('id'),
    )
    .insertInto('personImage')
    .columns(['personId', 'bytes'])
    .expression(({ selectFrom, val }) => selectFrom('named').select(['id', val(bytes).as('bytes')]))
    .onConflict((conflict) => conflict.column('personId').doUpdateSet({ bytes }))
    .execute();
}

export async function removePersonImage(em: EntityManager, personId: string): Promise<void> {
  await kysely(em)
    .with('gone', (query) => query.deleteFrom('personImage').where('personId', '=', personId))
    .updateTable('person')
    .set({ imageName: null })
    .where('id', '=', personId)
    .execute();
}

/** Finds the person's picture, if it has that name now. */
export async function findPersonImage(
  em: EntityManager,
  { personId, name }: { personId: string; name: string },
): Promise<Buffer | null> {
  const found = await kysely(em)
    .selectFrom('person')
    .innerJoin('personImage as image', 'image.personId', 'person.id')
    .select('image.bytes')
    .where('person.id', '=', personId)
    .where('person.imageName', '=', name)
    .$narrowType<{ bytes: Buffer }>()
    .executeTakeFirst();
  return found?.bytes ?? null;
}

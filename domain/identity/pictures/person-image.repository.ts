import { hash } from 'node:crypto';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

const NAME_LENGTH = 32;

/** Sets the picture under a name of its own, so that no cache keeps the old one. */
export async function setPersonImage(
  em: EntityManager,
  { personId, bytes }: { personId: string; bytes: Buffer },
): Promise<void> {
  const name = hash('sha256', bytes, 'hex').slice(0, NAME_LENGTH);
  await rows(
    em,
    `with named as (
       update person set image_name = ? where id = ? and deleted_at is null returning id)
     insert into person_image (person_id, bytes) select id, ? from named
     on conflict (person_id) do update set bytes = excluded.bytes`,
    [name, personId, bytes],
  );
}

export async function removePersonImage(em: EntityManager, personId: string): Promise<void> {
  await rows(
    em,
    `with gone as (delete from person_image where person_id = ?)
     update person set image_name = null where id = ?`,
    [personId, personId],
  );
}

/** Null unless the person's picture has that name now. */
export async function findPersonImage(
  em: EntityManager,
  { personId, name }: { personId: string; name: string },
): Promise<Buffer | null> {
  const [found] = await rows<{ bytes: Buffer }>(
    em,
    `select i.bytes from person p join person_image i on i.person_id = p.id
     where p.id = ? and p.image_name = ?`,
    [personId, name],
  );
  return found?.bytes ?? null;
}

import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { CamelCasePlugin, type Kysely } from 'kysely';
import type { EntityManager } from '../platform/database/database.ts';
import type { ENTITIES } from './entities.ts';

type InCamelCase<Text> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<InCamelCase<Tail>>}`
  : Text;

type ByProperty = InferKyselyDB<(typeof ENTITIES)[number], { columnNamingStrategy: 'property' }>;

/** The tables and columns in camel case, as the entities name them. */
export type Tables = { [Table in keyof ByProperty as InCamelCase<Table>]: ByProperty[Table] };

// JSON keeps its keys as they are stored.
const CAMEL_CASE = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** The query builder of a unit of work; it runs in its transaction and binds all values. */
export function kysely(em: EntityManager): Kysely<Tables> {
  return em.getKysely<Tables>().withPlugin(CAMEL_CASE);
}

// The settings of MikroORM's command line (`npm run orm`) and of `npm run migrate`.
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, ReferenceKind, type EntityMetadata } from '@mikro-orm/postgresql';
import { ENTITIES } from './domain/entities.ts';
import { readMigrationConfig } from './platform/config.ts';
import { ABANDONED } from './platform/database/database.ts';

export function describeOrm(databaseUrl: string) {
  return defineConfig({
    clientUrl: databaseUrl,
    driverOptions: { connectionString: databaseUrl, options: ABANDONED },
    entities: ENTITIES,
    baseDir: import.meta.dirname,
    extensions: [Migrator],
    schemaGenerator: {
      ignoreTriggers: true,
      ignoreRoutines: true,
      skipViews: [/./],
    },
    discovery: { onMetadata: keepReferredRows },
    migrations: {
      tableName: 'migration',
      path: 'migrations',
      glob: '[0-9]*.ts',
      emit: 'ts',
      fileName: (timestamp, name = 'change') => `${timestamp}-${name}`,
      allOrNothing: true,
      snapshot: false,
    },
  });
}

/** The command line asks for a default export. */
export default () => describeOrm(readMigrationConfig().databaseUrl);

/** A row to which another refers cannot be deleted, unless the entity says what becomes of both. */
function keepReferredRows(metadata: EntityMetadata): void {
  for (const property of Object.values(metadata.properties)) {
    if (property.kind !== ReferenceKind.MANY_TO_ONE) continue;
    property.deleteRule ??= 'no action';
    property.updateRule ??= 'no action';
  }
}

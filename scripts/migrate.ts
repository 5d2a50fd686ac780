// `npm run migrate`: applies the migrations that the database lacks.
import { MikroORM } from '@mikro-orm/postgresql';
import { describeOrm } from '../mikro-orm.config.ts';
import { ConfigurationError, readMigrationConfig } from '../platform/config.ts';

/** Applies what is missing, in one transaction; two at once wait for each other. */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const orm = await MikroORM.init({ ...describeOrm(databaseUrl), logger: () => undefined });
  try {
    const applied = await orm.em.fork().transactional(async (em) => {
      await em.execute(`select pg_advisory_xact_lock(hashtext('gatehouse migrations'))`);
      return await orm.migrator.up({ transaction: em.getTransactionContext() });
    });
    await orm.close(true);
    return applied.map(({ name }) => name);
  } catch (error) {
    void orm.close(true); // never done where the connection broke: MikroORM still waits for it
    throw error;
  }
}

if (import.meta.main) {
  try {
    const applied = await migrate(readMigrationConfig().databaseUrl);
    console.log(applied.length === 0 ? 'Nothing to apply.' : `Applied: ${applied.join(', ')}`);
  } catch (error) {
    console.error(error instanceof ConfigurationError ? error.message : error);
    process.exitCode = 1;
  }
}

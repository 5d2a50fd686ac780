import { migrate } from '../../scripts/migrate.ts';
import { applyRoles, type RoleUrls } from '../../scripts/roles.ts';
import type { LocalSecrets } from '../data/secrets.ts';

type Passwords = Pick<LocalSecrets, 'databasePassword' | 'ownerPassword' | 'appPassword'>;

/** The addresses of a database: of its server for the superuser, of its owner, of api and worker. */
export function roleUrls(
  { port, secrets }: { port: number; secrets: Passwords },
  database: string,
): RoleUrls {
  const urlOf = (role: string, password: string, name: string) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${name}`;
  return {
    adminUrl: urlOf('postgres', secrets.databasePassword, 'postgres'),
    ownerUrl: urlOf('gatehouse_owner', secrets.ownerPassword, database),
    appUrl: urlOf('gatehouse_app', secrets.appPassword, database),
  };
}

/** Makes roles and database where they are missing, and migrates as their owner. */
export async function prepareDatabase(urls: RoleUrls): Promise<string[]> {
  await applyRoles(urls);
  const applied = await migrate(urls.ownerUrl);
  if (applied.length > 0) await applyRoles(urls); // new tables may be among those with fewer rights
  return applied;
}

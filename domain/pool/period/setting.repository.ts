import { lockTable, type EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { PoolSetting } from './pool-period.entity.ts';

type Setting = { poolShareBps: number; minimumMinor: number };

/** The newest setting; a caller who asks for an earlier instant says so by `since`. */
export const newestPoolSetting = (em: EntityManager) =>
  kysely(em)
    .selectFrom('poolSetting')
    .select(['poolShareBps', 'minimumMinor'])
    .orderBy('since', 'desc')
    .orderBy('id', 'desc')
    .limit(1);

/** Returns the setting before, or null when nothing changes. Calls run one at a time. */
export async function setPoolSetting(
  em: EntityManager,
  { poolShareBps, minimumMinor, byId }: Setting & { byId: string },
): Promise<{ before: Setting } | null> {
  await lockTable(em, 'pool_setting');
  const before = await newestPoolSetting(em).executeTakeFirstOrThrow();
  if (before.poolShareBps === poolShareBps && before.minimumMinor === minimumMinor) return null;
  await em.insert(PoolSetting, { poolShareBps, minimumMinor, setBy: byId });
  return { before };
}

const MOST_SHOWN = 50;

/** The newest first. */
export async function listPoolSettings(em: EntityManager) {
  return kysely(em)
    .selectFrom('poolSetting as setting')
    .leftJoin('person', 'person.id', 'setting.setBy')
    .select(['setting.poolShareBps', 'setting.minimumMinor', 'setting.since'])
    .select('person.handle as setBy')
    .orderBy('setting.id', 'desc')
    .limit(MOST_SHOWN)
    .execute();
}

export type SettingLine = Awaited<ReturnType<typeof listPoolSettings>>[number];

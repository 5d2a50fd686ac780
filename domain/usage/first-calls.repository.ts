import type { EntityManager } from '../../platform/database/database.ts';
import { ago } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';

/**
 * What was seen of a product's integration: requests as far back as their log goes, evidence of
 * this month and the last. Where there is none, all rows of these months are read.
 */
export type FirstCalls = { hasChecked: boolean; hasSignedIn: boolean; hasReported: boolean };

type Mask = 'sessionDays' | 'heartbeatDays' | 'activityDays' | 'profileReadDays' | 'keyDays';

export async function findFirstCalls(em: EntityManager, productId: string): Promise<FirstCalls> {
  const found = await kysely(em)
    .selectNoFrom(({ exists, selectFrom, or }) => {
      const answered = (route: string) =>
        exists(
          selectFrom('apiRequest')
            .select('id')
            .where('productId', '=', productId)
            .where('route', '=', route)
            .where('status', '=', 200),
        );
      const used = (...masks: Mask[]) =>
        exists(
          selectFrom('usageMonth')
            .select('month')
            .where('productId', '=', productId)
            .where('month', '>=', ago('2 months').$castTo<string>())
            .where(({ eb, or: any }) => any(masks.map((mask) => eb(mask, '<>', 0)))),
        );
      const checked = exists(
        selectFrom('checkCount').select('day').where('productId', '=', productId),
      );
      return [
        or([answered('GET /api/v1/entitlements'), checked])
          .$castTo<boolean>()
          .as('hasChecked'),
        or([answered('POST /api/oauth/token'), used('profileReadDays')])
          .$castTo<boolean>()
          .as('hasSignedIn'),
        or([
          answered('POST /api/v1/usage'),
          used('sessionDays', 'heartbeatDays', 'activityDays', 'keyDays'),
        ])
          .$castTo<boolean>()
          .as('hasReported'),
      ];
    })
    .executeTakeFirstOrThrow();
  return found;
}

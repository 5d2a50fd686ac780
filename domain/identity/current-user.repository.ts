import type { EntityManager } from '../../platform/database/database.ts';
import { ago, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { hashCredential } from '../shared/ids.ts';
import { THIS_MINUTE } from './session.repository.ts';

const IDLE = '12 hours';
const FRESH = '10 minutes';

/**
 * Finds the person of a live session and records the visit once a minute. A session that can harm
 * others ends when it is idle. `isOperator`: the person may run the platform in this session.
 * `lacksPasskey`: the person may once this session is proved with a passkey. `isFresh`: the last
 * proof is within the last minutes.
 */
export async function findCurrentUser(
  em: EntityManager,
  { token, isPasskeyRequired }: { token: string; isPasskeyRequired: boolean },
) {
  const found = await kysely(em)
    .with('living', () => livingSession(em, token))
    .with('seen', (query) =>
      query
        .updateTable('session')
        .set({ lastSeenAt: THIS_MINUTE })
        .where('tokenHash', '=', ({ selectFrom }) =>
          selectFrom('living').select('tokenHash').where('lastSeenAt', '<', THIS_MINUTE),
        ),
    )
    .selectFrom('living')
    .select(['personId', 'handle', 'displayName', 'imageName', 'email', 'isOperator'])
    .select(['authenticatedBy', 'isFresh', 'isEmailVerified', 'isVerifiedBuilder'])
    .executeTakeFirst();
  if (!found) return null;
  const { isOperator, authenticatedBy } = found;
  const lacksPasskey = isOperator && authenticatedBy !== 'passkey' && isPasskeyRequired;
  return { ...found, isOperator: isOperator && !lacksPasskey, lacksPasskey };
}

export type CurrentUser = NonNullable<Awaited<ReturnType<typeof findCurrentUser>>>;

const livingSession = (em: EntityManager, token: string) =>
  kysely(em)
    .selectFrom('session')
    .innerJoin('person', 'person.id', 'session.personId')
    .select(['session.tokenHash', 'session.lastSeenAt', 'session.authenticatedBy'])
    .select(['person.id as personId', 'person.handle', 'person.displayName', 'person.imageName'])
    .select(['person.email', 'person.isOperator'])
    .select(({ eb, and }) => [
      eb('session.authenticatedAt', '>', ago(FRESH)).$castTo<boolean>().as('isFresh'),
      eb('person.emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isEmailVerified'),
      and([
        eb('person.builderVerifiedAt', 'is not', null),
        eb('person.emailVerifiedAt', 'is not', null),
      ])
        .$castTo<boolean>()
        .as('isVerifiedBuilder'),
    ])
    .where('person.deletedAt', 'is', null)
    .where('session.tokenHash', '=', hashCredential(token))
    .where('session.expiresAt', '>', NOW)
    .where(({ or, not, eb, exists, selectFrom }) =>
      or([
        eb('session.lastSeenAt', '>', ago(IDLE)),
        not(
          or([
            eb('person.isOperator', '=', true),
            exists(
              selectFrom('teamMember')
                .innerJoin('team', 'team.id', 'teamMember.teamId')
                .select('team.id')
                .whereRef('teamMember.personId', '=', 'person.id')
                .where('team.deletedAt', 'is', null),
            ),
            exists(
              selectFrom('product')
                .select('product.id')
                .whereRef('product.ownerPersonId', '=', 'person.id')
                .where('product.state', '=', 'listed'),
            ),
          ]),
        ),
      ]),
    );

import { sql, type ExpressionBuilder, type NotNull } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely, type Tables } from '../../kysely.ts';

export type PeopleShown = 'waiting' | 'verified' | 'everybody';

const PAGE = 50;

/** The handle as its indexes sort it. */
const HANDLE = sql<string>`handle collate "C"`;

const people = (em: EntityManager) =>
  kysely(em)
    .selectFrom('person')
    .leftJoin('verificationRequest as answered', 'answered.personId', 'person.id')
    .select(['answered.sells', 'answered.place', 'answered.contact'])
    .select(['person.id', 'handle', 'displayName', 'email', 'isOperator', 'person.createdAt'])
    .select(['builderRequestedAt as requestedAt', 'builderVerifiedAt as verifiedAt'])
    .select(['builderRevokedAt as revokedAt', 'deletedAt'])
    .select(({ eb }) =>
      eb('emailVerifiedAt', 'is not', null).$castTo<boolean>().as('isEmailVerified'),
    );

type Person = ExpressionBuilder<Tables, 'person'>;

const isShown = {
  waiting: ({ eb, and }: Person) =>
    and([eb('builderRequestedAt', 'is not', null), eb('builderVerifiedAt', 'is', null)]),
  verified: ({ eb }: Person) => eb('builderVerifiedAt', 'is not', null),
  everybody: ({ and }: Person) => and([]),
};

/** The rows that follow the person's in the order of waiting, and in the order of handles. */
const isBehind = (id: string, shown: PeopleShown) => (person: Person) => {
  const { eb, refTuple, selectFrom } = person;
  const last = selectFrom('person as last').where('last.id', '=', id);
  if (shown !== 'waiting') return eb(HANDLE, '>', last.select('last.handle'));
  const position = last.select(['last.builderRequestedAt', 'last.id']);
  return eb(
    refTuple('person.builderRequestedAt', 'person.id'),
    '>',
    position.$asTuple('builderRequestedAt', 'id'),
  );
};

/**
 * Lists people whose handle starts with the given text, each with the address and the answers of the
 * latest verification request; `next` is the id of the last one when others follow. An owner who was
 * never verified is revoked too.
 */
export async function listPeople(
  em: EntityManager,
  { shown, handle, after }: { shown: PeopleShown; handle: string; after: string | null },
) {
  const listed = people(em)
    .where('deletedAt', 'is', null)
    .where(isShown[shown])
    .where(({ between }) => between(HANDLE, handle, `${handle}~`))
    .limit(PAGE + 1);
  const found = await listed
    .$if(after !== null, (query) => query.where(isBehind(after!, shown)))
    // The longest waiting person comes first.
    .$if(shown === 'waiting', (query) => query.orderBy('builderRequestedAt').orderBy('person.id'))
    .$if(shown !== 'waiting', (query) => query.orderBy(HANDLE))
    .execute();
  const { lines, next } = toPage(found, PAGE, ({ id }) => id);
  return { people: lines, next };
}

export type PersonLine = Awaited<ReturnType<typeof listPeople>>['people'][number];

/** Includes deleted people: the audit trail still names them. */
export async function findPersonFacts(em: EntityManager, personId: string) {
  const found = await people(em)
    .select(({ selectFrom, fn }) => [
      selectFrom('session')
        .select(fn.countAll<number>().as('n'))
        .whereRef('session.personId', '=', 'person.id')
        .where('session.expiresAt', '>', NOW)
        .as('sessions'),
      selectFrom('passkey')
        .select(fn.countAll<number>().as('n'))
        .whereRef('passkey.personId', '=', 'person.id')
        .as('passkeys'),
    ])
    .where('person.id', '=', personId)
    .$narrowType<{ sessions: NotNull; passkeys: NotNull }>()
    .executeTakeFirst();
  return found ?? null;
}

export type PersonFacts = NonNullable<Awaited<ReturnType<typeof findPersonFacts>>>;

/** Finds a person by handle, deleted or not. */
export async function findPersonOrGone(em: EntityManager, handle: string): Promise<string | null> {
  const person = kysely(em).selectFrom('person').select('id').where('handle', '=', handle);
  return (await person.executeTakeFirst())?.id ?? null;
}

export type PeopleCounts = Record<PeopleShown, number>;

export async function countPeople(em: EntityManager): Promise<PeopleCounts> {
  const count = (shown: PeopleShown) =>
    kysely(em)
      .selectFrom('person')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('deletedAt', 'is', null)
      .where(isShown[shown]);
  return kysely(em)
    .selectNoFrom([
      count('waiting').as('waiting'),
      count('verified').as('verified'),
      count('everybody').as('everybody'),
    ])
    .$narrowType<Record<PeopleShown, NotNull>>()
    .executeTakeFirstOrThrow();
}

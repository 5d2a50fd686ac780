import { rows, type EntityManager } from '../../../platform/database/database.ts';

/** A person in the operators' list, with the address. */
export type PersonLine = {
  id: string;
  handle: string;
  displayName: string;
  email: string;
  isEmailVerified: boolean;
  isOperator: boolean;
  createdAt: Date;
  requestedAt: Date | null;
  verifiedAt: Date | null;
  deletedAt: Date | null;
};

export type PersonFacts = PersonLine & { sessions: number; passkeys: number };

export const PEOPLE_SHOWN = ['waiting', 'verified', 'everybody'] as const;
export type PeopleShown = (typeof PEOPLE_SHOWN)[number];

type Dates = 'createdAt' | 'requestedAt' | 'verifiedAt' | 'deletedAt';
type Read<Line> = Omit<Line, Dates> & Record<Dates, string | null>;

const PAGE = 50;

const PERSON = `x.id, x.handle, x.display_name as "displayName", x.email,
  x.email_verified_at is not null as "isEmailVerified", x.is_operator as "isOperator",
  x.created_at as "createdAt", x.builder_requested_at as "requestedAt",
  x.builder_verified_at as "verifiedAt", x.deleted_at as "deletedAt"`;

const LISTS: Record<PeopleShown, { where: string; place: string }> = {
  // The longest waiting person comes first.
  waiting: {
    where: 'builder_requested_at is not null and builder_verified_at is null',
    place: 'builder_requested_at, id',
  },
  verified: { where: 'builder_verified_at is not null', place: 'handle collate "C"' },
  everybody: { where: 'true', place: 'handle collate "C"' },
};

/**
 * Lists people whose handle starts with the given text; `next` is the id of the last one when
 * others follow.
 */
export async function listPeople(
  em: EntityManager,
  { shown, handle, after }: { shown: PeopleShown; handle: string; after: string | null },
): Promise<{ people: PersonLine[]; next: string | null }> {
  const { where, place } = LISTS[shown];
  const later = `and (${place}) > (select ${place} from person where id = ?)`;
  const found = await rows<Read<PersonLine>>(
    em,
    `select ${PERSON} from person x
     where deleted_at is null and ${where}
       and handle collate "C" between ? and ? || '~'
       ${after === null ? '' : later}
     order by ${place} limit ?`,
    [handle, handle, ...(after === null ? [] : [after]), PAGE + 1],
  );
  const people = found.slice(0, PAGE).map(withDates);
  return { people, next: found.length > PAGE ? people.at(-1)!.id : null };
}

/** Includes deleted people: the audit trail still names them. */
export async function findPersonFacts(
  em: EntityManager,
  personId: string,
): Promise<PersonFacts | null> {
  const [found] = await rows<Read<PersonFacts>>(
    em,
    `select ${PERSON},
       (select count(*)::int from session s
         where s.person_id = x.id and s.expires_at > gatehouse_now()) as sessions,
       (select count(*)::int from passkey k where k.person_id = x.id) as passkeys
     from person x where x.id = ?`,
    [personId],
  );
  return found ? withDates(found) : null;
}

/** The same by handle. */
export async function findPersonOrGone(em: EntityManager, handle: string): Promise<string | null> {
  const [found] = await rows<{ id: string }>(em, 'select id from person where handle = ?', [
    handle,
  ]);
  return found?.id ?? null;
}

export type PeopleCounts = { waiting: number; verified: number; everybody: number };

export async function countPeople(em: EntityManager): Promise<PeopleCounts> {
  const [counts] = await rows<PeopleCounts>(
    em,
    `select
       (select count(*)::int from person
         where deleted_at is null and ${LISTS.waiting.where}) as waiting,
       (select count(*)::int from person
         where deleted_at is null and ${LISTS.verified.where}) as verified,
       (select count(*)::int from person where deleted_at is null) as everybody`,
  );
  return counts!;
}

function withDates<Line extends Read<PersonLine>>(line: Line) {
  const { createdAt, requestedAt, verifiedAt, deletedAt } = line;
  const date = (text: string | null) => (text === null ? null : new Date(text));
  return {
    ...line,
    createdAt: new Date(createdAt!),
    requestedAt: date(requestedAt),
    verifiedAt: date(verifiedAt),
    deletedAt: date(deletedAt),
  };
}

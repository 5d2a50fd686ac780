import { z } from 'zod';
import { USAGE_KINDS } from '../../domain/usage/decide-usage.ts';
import { HttpError } from '../http/errors.ts';
import { uuid } from '../http/fields.ts';

export const KEY_NEEDS_USER = 'is needed with an API key';

export const usageReport = z
  .object({
    kind: z.enum(USAGE_KINDS).meta({
      description:
        '`session`: the app opened. `heartbeat`: still in use, sent while the person is actually working. `activity`: the person did what your product counts as use.',
    }),
    user_id: uuid('must be given once, as a UUID')
      .toLowerCase()
      .optional()
      .meta({ description: "Required with an API key; must be absent with a person's token" }),
  })
  .meta({
    id: 'UsageReport',
    examples: [
      { kind: 'activity' },
      { kind: 'heartbeat', user_id: '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81' },
    ],
  });

/** Returns the person of a report by key, which must name one. */
export function requireUserId({ user_id: personId }: z.infer<typeof usageReport>): string {
  if (personId === undefined) throw badUser(KEY_NEEDS_USER);
  return personId;
}

/** Refuses a `user_id` beside a person's token: a token reports its own person only. */
export function refuseUserId(personId: string | undefined): void {
  if (personId !== undefined) throw badUser("must be absent with a person's token");
}

function badUser(problem: string): HttpError {
  return new HttpError('invalid_request', { message: `user_id: ${problem}`, param: 'user_id' });
}

import { z } from 'zod';
import {
  listPeople,
  PEOPLE_SHOWN,
} from '../../../domain/identity/operators/people-list.repository.ts';
import { page } from '../../http/response.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, OPERATOR_PAGE } from '../../http/route.ts';
import { buildersPage } from './builders.page.ts';
import { given } from '../../http/fields.ts';
import { BUILDERS } from '../operator.page.ts';
import { place } from '../../http/params.ts';

const handleStart = given(24)
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9_]{0,24}$/, 'must be the start of a handle: letters, digits, underscores')
  .default('');

const showBuilders = defineRoute({
  ...OPERATOR_PAGE,
  path: BUILDERS,
  summary: 'List people and verification requests',
  input: {
    query: z.object({
      show: z.enum(PEOPLE_SHOWN).default('waiting'),
      handle: handleStart,
      after: place,
    }),
  },
  async handler(context) {
    const { show: shown, handle, after } = context.query;
    const { people, next } = await listPeople(context.services.database.em(), {
      shown,
      handle,
      after,
    });
    const token = sessionFormToken(context);
    return page(context, buildersPage({ shown, handle, after, people, next, token }));
  },
});

export const routes = [showBuilders];

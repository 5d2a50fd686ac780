import { z } from 'zod';
import { listPeople } from '../../../domain/identity/operators/people-list.repository.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, OPERATOR_PAGE, type SessionContext } from '../../http/route.ts';
import { accountsPage, buildersPage } from './builders.page.ts';
import { given } from '../../http/fields.ts';
import { ACCOUNTS, BUILDERS, writeWaiting } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { place } from '../../http/params.ts';

const handleStart = given(24)
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9_]{0,24}$/, 'must be the start of a handle: letters, digits, underscores')
  .default('');

const showBuilders = defineRoute({
  ...OPERATOR_PAGE,
  path: BUILDERS,
  summary: 'List makers and verification requests',
  input: {
    query: z.object({
      show: z.enum(['waiting', 'verified']).catch('waiting'),
      handle: handleStart,
      after: place,
    }),
  },
  async handler(context) {
    const { show: shown, ...rest } = context.query;
    const found = await find(context, { shown, ...rest });
    return showOperatorPage(context, ({ requests }) =>
      buildersPage({ ...found, waiting: writeWaiting(requests) }),
    );
  },
});

const showAccounts = defineRoute({
  ...OPERATOR_PAGE,
  path: ACCOUNTS,
  summary: 'List accounts',
  input: { query: z.object({ handle: handleStart, after: place }) },
  async handler(context) {
    const shown = { shown: 'everybody', ...context.query } as const;
    return showOperatorPage(context, accountsPage(await find(context, shown)));
  },
});

async function find(context: SessionContext, search: Parameters<typeof listPeople>[1]) {
  const found = await listPeople(context.services.database.em(), search);
  return { ...search, ...found, token: sessionFormToken(context) };
}

export const routes = [showBuilders, showAccounts];

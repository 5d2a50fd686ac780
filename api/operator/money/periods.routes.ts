import { z } from 'zod';
import { listPoolPeriods } from '../../../domain/pool/operator-views/periods.repository.ts';
import { PERIOD_ID, PERIOD_ID_LENGTH } from '../../../domain/pool/period/pool-month.ts';
import { cursor, matching } from '../../http/fields.ts';
import { defineRoute, OPERATOR_PAGE } from '../../http/route.ts';
import { POOL } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { periodsPage } from './periods.page.ts';

const showPeriods = defineRoute({
  ...OPERATOR_PAGE,
  path: POOL,
  summary: 'List the months of the creator pool',
  input: { query: z.object({ before: cursor(matching(PERIOD_ID, PERIOD_ID_LENGTH)) }) },
  async handler(context) {
    const { before } = context.query;
    const found = await listPoolPeriods(context.services.database.em(), before);
    return showOperatorPage(context, periodsPage({ ...found, before }));
  },
});

export const routes = [showPeriods];

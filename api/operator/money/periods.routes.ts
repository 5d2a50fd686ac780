import { z } from 'zod';
import { listPoolPeriods } from '../../../domain/pool/operating/periods.repository.ts';
import { PERIOD_ID, PERIOD_ID_LENGTH } from '../../../domain/pool/input/pool-month.ts';
import { poolPeriodActor } from '../../../domain/outbox/actors.ts';
import { matching } from '../../http/fields.ts';
import { workflowUrl } from '../../console/workflow-url.ts';
import { page } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { POOL } from '../operator.page.ts';
import { periodsPage } from './periods.page.ts';

const place = z
  .union([z.literal(''), matching(PERIOD_ID, PERIOD_ID_LENGTH)])
  .default('')
  .transform((value) => value || null);

const showPeriods = defineRoute({
  method: 'GET',
  path: POOL,
  summary: 'List the months of the creator pool',
  credential: 'operator',
  limit: null,
  input: { query: z.object({ before: place }) },
  statuses: [200, 303],
  errors: ['invalid_request', 'not_found', 'unavailable'],
  async handler(context) {
    const { before } = context.query;
    const found = await listPoolPeriods(context.services.database.em(), before);
    const urlOf = ({ id }: { id: string }) => workflowUrl(context, poolPeriodActor(id));
    return page(context, periodsPage({ ...found, before, urlOf }));
  },
});

export const routes = [showPeriods];

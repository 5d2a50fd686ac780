import { z } from 'zod';
import { answerAppeal } from '../../../domain/seal/appeal.command.ts';
import { listAppeals } from '../../../domain/seal/appeal.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { uuid } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { managerOf } from '../../console/managed-product.ts';
import { FORM_ERRORS } from '../../http/errors.ts';
import { withNotice } from '../../html/notices.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { SEALS } from '../operator.page.ts';
import { place } from '../search.ts';
import { appealsPage } from './appeals.page.ts';

const showAppeals = defineRoute({
  method: 'GET',
  path: SEALS,
  summary: 'List appeals about quality seals',
  credential: 'operator',
  limit: null,
  input: { query: z.object({ after: place }) },
  statuses: [200, 303],
  errors: ['invalid_request', 'not_found', 'unavailable'],
  async handler(context) {
    const { after } = context.query;
    const found = await listAppeals(context.services.database.em(), { after });
    return page(context, appealsPage({ found, after, token: sessionFormToken(context) }));
  },
});

const NOTICES = { restored: 'seal_restored', declined: 'appeal_declined' } as const;

const answerOneAppeal = defineRoute({
  method: 'POST',
  path: SEALS,
  summary: 'Answer an appeal about a quality seal',
  proof: 'fresh',
  credential: 'operator',
  limit: 'settings',
  input: {
    body: {
      kind: 'form',
      shape: z.object({
        appeal: uuid().toLowerCase(),
        outcome: z.enum(['restored', 'declined']),
      }),
    },
  },
  statuses: [303],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(context) {
    const { appeal: appealId, outcome } = context.body;
    const answer = { appealId, outcome, by: managerOf(context) };
    const answered = await answerAppeal(context.services.database.em(), answer);
    return redirect(withNotice(SEALS, isRefusal(answered) ? 'unchanged' : NOTICES[outcome]));
  },
});

export const routes = [showAppeals, answerOneAppeal];

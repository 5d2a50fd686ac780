import { z } from 'zod';
import { answerAppeal } from '../../../domain/seal/appeal.command.ts';
import { listAppeals } from '../../../domain/seal/appeal.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { uuid, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { managerOf } from '../../console/managed-product.ts';
import { withNotice } from '../../html/notices.ts';
import { redirect } from '../../http/response.ts';
import { defineRoute, OPERATOR_PAGE, OPERATOR_FORM } from '../../http/route.ts';
import { SEALS } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { place } from '../../http/params.ts';
import { appealsPage } from './appeals.page.ts';

const showAppeals = defineRoute({
  ...OPERATOR_PAGE,
  path: SEALS,
  summary: 'List appeals about quality seals',
  input: { query: z.object({ after: place }) },
  async handler(context) {
    const { after } = context.query;
    const found = await listAppeals(context.services.database.em(), { after });
    return showOperatorPage(
      context,
      appealsPage({ found, after, token: sessionFormToken(context) }),
    );
  },
});

const NOTICES = { restored: 'seal_restored', declined: 'appeal_declined' } as const;

const answerOneAppeal = defineRoute({
  ...OPERATOR_FORM,
  path: SEALS,
  summary: 'Answer an appeal about a quality seal',
  proof: 'fresh',
  input: {
    body: formBody({ appeal: uuid().toLowerCase(), outcome: z.enum(['restored', 'declined']) }),
  },
  async handler(context) {
    const { appeal: appealId, outcome } = context.body;
    const answer = { appealId, outcome, by: managerOf(context) };
    const answered = await answerAppeal(context.services.database.em(), answer);
    return redirect(withNotice(SEALS, isRefusal(answered) ? 'unchanged' : NOTICES[outcome]));
  },
});

export const routes = [showAppeals, answerOneAppeal];

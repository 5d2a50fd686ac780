import { z } from 'zod';
import { listProductsOf } from '../../../domain/catalog/product.repository.ts';
import { decideOnBuilder } from '../../../domain/identity/operators/builder.command.ts';
import {
  findPersonFacts,
  type PersonFacts,
} from '../../../domain/identity/operators/people-list.repository.ts';
import { parseUuid, publicIdPattern } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { validateLine } from '../../../domain/shared/text.ts';
import { listTeamsOf } from '../../../domain/teams/team.repository.ts';
import { redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { HttpError } from '../../http/errors.ts';
import { given, matching, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import {
  defineRoute,
  type RouteContext,
  OPERATOR_PAGE,
  OPERATOR_FORM,
  type SessionContext,
} from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { BUILDERS } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { LONGEST_REASON } from './decision.page.ts';
import { queryLink } from '../../console/saved-queries.ts';
import { findBought } from './person-purchases.ts';
import { personPage } from './person.page.ts';

const params = z.object({ id: given(36) });
const purchaseBefore = matching(publicIdPattern('pay_'), 30).optional().catch(undefined);

const showPerson = defineRoute({
  ...OPERATOR_PAGE,
  path: '/operator/people/:id',
  summary: 'Show a person',
  input: { params, query: z.object({ before: purchaseBefore }) },
  async handler(context) {
    const { before } = context.query;
    return show(context, { person: await loadPerson(context), before });
  },
});

const decide = defineRoute({
  ...OPERATOR_FORM,
  path: '/operator/people/:id/builder',
  summary: 'Verify a maker, decline a request or revoke a verification',
  proof: 'fresh',
  input: {
    params,
    body: formBody({
      decision: z.enum(['verify', 'decline', 'withdraw']),
      from: z.enum(['waiting', 'verified', 'person']).default('person'),
      reason: given(LONGEST_REASON).default(''),
    }),
  },
  async handler(context) {
    const { decision, from } = context.body;
    const person = await loadPerson(context);
    const { id: personId } = person;
    const { value: reason, problem } = validateLine(context.body.reason, LONGEST_REASON);
    if (decision === 'decline' && problem !== null) {
      return show(context, { person, problem: explain(problem) });
    }
    const decided = await decideOnBuilder(context.services.database.em(), {
      personId,
      decision,
      reason,
      by: actorOf(context),
    });
    const back = from === 'person' ? `/operator/people/${personId}` : `${BUILDERS}?show=${from}`;
    const notice = isRefusal(decided) ? 'unchanged' : (`builder_${decided.outcome}` as const);
    return redirect(withNotice(back, notice));
  },
});

async function show(
  context: SessionContext,
  shown: { person: PersonFacts; before?: string | undefined; problem?: string | null },
) {
  const { person, before = null, problem = null } = shown;
  const em = context.services.database.em();
  const [products, teams, bought] = await Promise.all([
    listProductsOf(em, person.id),
    listTeamsOf(em, person.id),
    findBought(em, { personId: person.id, before }),
  ]);
  const token = sessionFormToken(context);
  const workflows = queryLink(context, { scope: 'person', id: person.id });
  const view = personPage({ person, products, teams, bought, token, workflows, problem });
  return showOperatorPage(context, view, problem === null ? {} : { status: 422 });
}

async function loadPerson({ services, params }: RouteContext & { params: { id: string } }) {
  const id = parseUuid(params.id);
  const person = id === null ? null : await findPersonFacts(services.database.em(), id);
  if (!person) throw new HttpError('not_found');
  return person;
}

export const routes = [showPerson, decide];

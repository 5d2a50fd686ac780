import { findBuilderState } from '../../../domain/identity/operators/builder.repository.ts';
import { requestVerification } from '../../../domain/identity/operators/builder.command.ts';
import {
  MAX_ANSWER_LENGTHS,
  validateAnswers,
  type AnswerProblems,
} from '../../../domain/identity/operators/verification-answers.ts';
import { findAnswers } from '../../../domain/identity/operators/verification-request.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { given, formBody } from '../../http/fields.ts';
import { explain } from '../../account/field-problems.ts';
import { requireVerifiedEmail } from '../../account/start-session.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_PAGE, SESSION_FORM, type SessionContext } from '../../http/route.ts';
import { VERIFICATION, withNotice } from '../../html/notices.ts';
import { loadScope } from '../console-scope.ts';
import { verificationPage, type VerificationDraft } from './verification.page.ts';

const showVerification = defineRoute({
  ...SESSION_PAGE,
  path: VERIFICATION,
  summary: 'Show the verification status',
  input: {},
  async handler(context) {
    const { services, currentUser } = context;
    const last = await findAnswers(services.database.em(), currentUser.personId);
    return show(context, { typed: last ?? {}, problems: {} });
  },
});

/** A second request changes nothing. */
const askForVerification = defineRoute({
  ...SESSION_FORM,
  path: VERIFICATION,
  summary: 'Request verification',
  proof: 'none',
  input: {
    body: formBody({
      sells: given(MAX_ANSWER_LENGTHS.sells).default(''),
      place: given(MAX_ANSWER_LENGTHS.place).default(''),
      contact: given(MAX_ANSWER_LENGTHS.contact).default(''),
    }),
  },
  async handler(context) {
    const { services, currentUser, body, ctx } = context;
    requireVerifiedEmail(
      currentUser,
      'Confirm your email address before you request verification.',
    );
    const validated = validateAnswers(body);
    if ('problems' in validated) {
      return show(context, { typed: body, problems: explainAll(validated.problems) });
    }
    const by = { personId: currentUser.personId, ip: ctx.ip };
    const requested = await requestVerification(services.database.em(), { ...validated, by });
    if (isRefusal(requested)) return redirect(VERIFICATION);
    return redirect(withNotice(VERIFICATION, 'verification_asked'));
  },
});

function explainAll(problems: AnswerProblems): VerificationDraft['problems'] {
  const sentenceOf = (name: keyof AnswerProblems) =>
    problems[name] === 'too_long'
      ? `Use at most ${MAX_ANSWER_LENGTHS[name]} characters.`
      : explain(problems[name]);
  return {
    sells: sentenceOf('sells'),
    place: sentenceOf('place'),
    contact: sentenceOf('contact'),
  };
}

async function show(context: SessionContext, draft: VerificationDraft) {
  const { services, currentUser } = context;
  const view = verificationPage({
    builder: await findBuilderState(services.database.em(), currentUser.personId),
    usualTime: services.config.verificationTime,
    draft,
    formToken: sessionFormToken(context),
    scope: await loadScope(context),
  });
  const isRefused = Object.keys(draft.problems).length > 0;
  return page(context, view, isRefused ? { status: 422 } : {});
}

export const routes = [showVerification, askForVerification];

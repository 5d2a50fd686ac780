import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  BUILDER_DECISIONS,
  type BuilderDecision,
} from '../../../domain/identity/operators/builder.repository.ts';
import type { PersonLine } from '../../../domain/identity/operators/people-list.repository.ts';
import type { Field } from '../../html/parts/field.ts';
import { form } from '../../html/form.ts';
import { fold } from '../../html/parts/fold.ts';

/** The sentences say what will happen; a click asks once. */
const QUESTIONS: Record<BuilderDecision, { summary: string; sentence: string; button: string }> = {
  verify: {
    summary: 'Verify',
    sentence:
      'The maker can create live keys and webhook endpoints, set prices, sell and create teams. We email the maker.',
    button: 'Verify maker',
  },
  decline: {
    summary: 'Decline',
    sentence:
      'The maker reads your reason in the console, gets an email, and can request verification again.',
    button: 'Decline request',
  },
  withdraw: {
    summary: 'Revoke',
    sentence:
      'Personal products stop selling, as do teams whose owners are all revoked. Live keys and endpoints of personal products, and prices, cannot be changed. The maker transfers no product and becomes no owner. Test keys, and clients on the own machine, stay open. Buyers keep access. We email the maker.',
    button: 'Revoke verification',
  },
};

const BLOCK = {
  ...QUESTIONS.withdraw,
  summary: 'Block from selling',
  button: 'Block from selling',
};

export const LONGEST_REASON = 500;

function reasonField(problem: string | null): Field {
  return { label: 'Reason', name: 'reason', problem };
}

/** The decisions that are open about somebody, each asked once. `from` is the list to go back to. */
export function decisionButtons(
  person: PersonLine,
  { token, from, problem = null }: { token: string; from: string; problem?: string | null },
): HtmlSafeString | string {
  const open = openDecisions(person, from);
  if (open.length === 0) return '';
  return html`<div class="actions">
    ${open.map((decision) => {
      const isBlock = decision === 'withdraw' && person.verifiedAt === null;
      const { summary, sentence, button } = isBlock ? BLOCK : QUESTIONS[decision];
      const hidden = { decision, from };
      const action = `/operator/people/${person.id}/builder`;
      const isDecline = decision === 'decline';
      const asked = { action, token, hidden, button };
      return fold({
        summary,
        about: person.handle,
        sentence,
        content: form({
          ...asked,
          isDangerous: decision === 'withdraw',
          fields: isDecline ? [reasonField(problem)] : [],
        }),
        isDangerous: decision === 'withdraw',
        isOpen: isDecline && Boolean(problem),
      });
    })}
  </div>`;
}

/** An unverified person may own teams that sell: the page of the person has the way to stop them. */
function openDecisions(person: PersonLine, from: string): BuilderDecision[] {
  const { verifiedAt, revokedAt, requestedAt, isEmailVerified, deletedAt } = person;
  if (deletedAt !== null) return [];
  const isDecidable: Record<BuilderDecision, boolean> = {
    verify: verifiedAt === null && isEmailVerified,
    decline: verifiedAt === null && requestedAt !== null,
    withdraw: revokedAt === null && (verifiedAt !== null || from === 'person'),
  };
  return BUILDER_DECISIONS.filter((decision) => isDecidable[decision]);
}

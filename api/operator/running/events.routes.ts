import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  findProcessorEvent,
  listDeadLetters,
  setEventAside,
  tryEventAgain,
} from '../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import { redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { HttpError } from '../../http/errors.ts';
import { cursor, given, matching, NO_FIELDS, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, type RouteContext, OPERATOR_PAGE, OPERATOR_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { EVENTS, writeWaiting } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { eventPage, eventPath } from './event.page.ts';
import { eventsPage } from './events.page.ts';

const word = matching(/^[\x21-\x7e]{0,255}$/, 255);
const params = z.object({ processor: given(255), id: given(255) });

const showDeadLetters = defineRoute({
  ...OPERATOR_PAGE,
  path: EVENTS,
  summary: 'List unprocessed payment events',
  input: { query: z.object({ before: cursor(word) }) },
  async handler(context) {
    const { before } = context.query;
    const found = await listDeadLetters(context.services.database.em(), before);
    return showOperatorPage(context, ({ events }) =>
      eventsPage({ found, before, total: writeWaiting(events) }),
    );
  },
});

const showProcessorEvent = defineRoute({
  ...OPERATOR_PAGE,
  path: `${EVENTS}/:processor/:id`,
  summary: 'Show a payment event',
  input: { params },
  async handler(context) {
    const event = await loadEvent(context);
    const token = sessionFormToken(context);
    return showOperatorPage(context, eventPage({ event, token, problem: null }));
  },
});

const retryProcessorEvent = defineRoute({
  ...OPERATOR_FORM,
  path: `${EVENTS}/:processor/:id/again`,
  summary: 'Try an unprocessed payment event again',
  proof: 'fresh',
  input: { params, body: NO_FIELDS },
  async handler(context) {
    const event = await loadEvent(context);
    const refused = await context.services.database.transaction(async (em) => {
      const no = await tryEventAgain(em, event);
      if (no) return no;
      await recordAudit(em, { by: actorOf(context), action: 'event.retried', subject: event.id });
      return null;
    });
    const said = refused ? NO[refused.refused] : 'event_tried';
    return redirect(withNotice(eventPath(event), said));
  },
});

const NO = { unchanged: 'unchanged', unknown_purchase: 'event_unclaimed' } as const;

const setProcessorEventAside = defineRoute({
  ...OPERATOR_FORM,
  path: `${EVENTS}/:processor/:id/set-aside`,
  summary: 'Set an unprocessed payment event aside',
  proof: 'fresh',
  input: { params, body: formBody({ note: given(500).default('') }) },
  async handler(context) {
    const event = await loadEvent(context);
    const note = context.body.note.trim();
    if (note === '' || note.length > 500 || note.includes('\0')) {
      const problem = 'Enter a reason of at most 500 characters.';
      const shown = { event, token: sessionFormToken(context), problem };
      return showOperatorPage(context, eventPage(shown), { status: 422 });
    }
    const by = actorOf(context);
    const { processor, id } = event;
    const { personId } = context.currentUser;
    const isDecided = await context.services.database.transaction(async (em) => {
      if (!(await setEventAside(em, { processor, id, personId, note }))) return false;
      await recordAudit(em, { by, action: 'event.set_aside', subject: id, detail: { note } });
      return true;
    });
    return redirect(withNotice(EVENTS, isDecided ? 'event_set_aside' : 'unchanged'));
  },
});

async function loadEvent({
  services,
  params: key,
}: RouteContext & { params: z.output<typeof params> }) {
  const isWord = word.safeParse(key.id).success && word.safeParse(key.processor).success;
  const event = isWord ? await findProcessorEvent(services.database.em(), key) : null;
  if (!event) throw new HttpError('not_found');
  return event;
}

export const routes = [
  showDeadLetters,
  showProcessorEvent,
  retryProcessorEvent,
  setProcessorEventAside,
];

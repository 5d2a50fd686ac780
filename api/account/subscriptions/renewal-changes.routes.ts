// The routes by which a person cancels, resumes and pays otherwise: for a subscription and for Member.
import { z } from 'zod';
import { isProcessorTrouble } from '../../../clients/processor/processor.ts';
import { newUuid, publicIdPattern } from '../../../domain/shared/ids.ts';
import { writeDay } from '../../../domain/shared/instant.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/recurring/change-request.repository.ts';
import { cursor, matching, NO_FIELDS } from '../../http/fields.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { page, redirect } from '../../http/response.ts';
import {
  defineRoute,
  type Route,
  type RouteContext,
  type SessionContext,
  type View,
  SESSION_FORM,
  SESSION_PAGE,
} from '../../http/route.ts';
import { withNotice, type Notice } from '../../html/notices.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { oneStepPage } from '../one-step.ts';
import { STILL_TRIED } from './renewal-labels.ts';

/** The last receipt of the previous page. An invalid one means the first page. */
export const receiptBefore = cursor(matching(publicIdPattern('ch_'), 30)).catch(null);

/** What is renewed, as its person sees it; `path` is its page. */
type RenewableRow = Pick<
  SubscriptionView,
  'processorId' | 'status' | 'periodEnd' | 'graceEndsAt'
> & {
  of: { subscriptionId: string } | { membershipId: string };
  path: string;
  name: string;
  /** The access that remains until the end. */
  kept: string;
};

export type RenewalCall = SessionContext & { params: { id?: string } };

type Renewal = {
  /** The word of the routes and the button. */
  what: 'subscription' | 'membership';
  path: string;
  params: z.ZodType<{ id?: string }>;
  load(call: RenewalCall): Promise<RenewableRow>;
  done: Record<RequestedChange, Notice>;
};

export function renewalRoutes({ what, path, params, load, done }: Renewal): Route[] {
  const changed = {
    ...SESSION_FORM,
    input: { params, body: NO_FIELDS },
  } as const;
  const change = (kind: RequestedChange) =>
    defineRoute({
      ...changed,
      path: `${path}/${kind}`,
      summary: `${sentenceCase(kind)} a ${what}`,
      proof: kind === 'resume' ? 'fresh' : 'none',
      async handler(context) {
        const renewed = await load(context);
        return askFor(context, { kind, renewed, done: done[kind] });
      },
    });
  return [
    defineRoute({
      ...SESSION_PAGE,
      path: `${path}/cancel`,
      summary: `Ask before a ${what} is cancelled`,
      input: { params },
      async handler(context) {
        const shown = await load(context);
        const token = sessionFormToken(context);
        const button = `Cancel ${what}`;
        return page(context, cancellationPage({ ...shown, shown, button, token }));
      },
    }),
    change('cancel'),
    change('resume'),
    defineRoute({
      ...changed,
      path: `${path}/card`,
      summary: `Update the card of a ${what}`,
      proof: 'fresh',
      handler: async (context) => sendToCardUpdate(context, await load(context)),
    }),
  ];
}

type Cancellation = {
  shown: Pick<SubscriptionView, 'periodEnd' | 'graceEndsAt'>;
  name: string;
  /** The access that remains until the end. */
  kept: string;
  path: string;
  button: string;
  token: string;
};

/** Asks before anything is cancelled. */
function cancellationPage({ shown, name, kept, path, button, token }: Cancellation): View {
  const { periodEnd, graceEndsAt } = shown;
  const end = graceEndsAt ?? periodEnd;
  const until = end === null ? 'the end of the billing period' : writeDay(end);
  const sentences =
    graceEndsAt === null
      ? [
          `You keep ${kept} until ${until}. Nothing more is charged.`,
          'You can resume anytime before then.',
        ]
      : [`You keep ${kept} until ${until}.`, STILL_TRIED];
  const action = `${path}/cancel`;
  const wayOut = { path, label: `Keep ${name}` };
  return oneStepPage({
    title: `Cancel ${name}`,
    content: confirmation({ action, token, button, sentences, wayOut }),
  });
}

type ChangeRequest = { kind: RequestedChange; renewed: RenewableRow; done: Notice };

/**
 * Records the change request. The workflow applies it at the processor, and the page shows the
 * progress.
 */
async function askFor(
  { services }: RouteContext,
  { kind, renewed: { of, path }, done }: ChangeRequest,
) {
  const request = { ...of, change: kind };
  const asked = await services.database.transaction((em) => requestChange(em, request));
  return redirect(withNotice(path, isRefusal(asked) ? 'unchanged' : done));
}

/** Another card is typed in at the processor's page. */
async function sendToCardUpdate(
  { services }: RouteContext,
  { processorId, status, path }: RenewableRow,
) {
  if (processorId === null || status === 'ended') return redirect(withNotice(path, 'unchanged'));
  const { processor, config, logger } = services;
  const returnUrl = `${config.baseUrl}${path}?returned=card`;
  try {
    const asked = { subscriptionId: processorId, returnUrl, key: newUuid() };
    const { url } = await processor.openCardUpdate(asked);
    const flash = { notice: 'card_returned', location: path, isAfterProcessor: true } as const;
    return { ...redirect(url), flash };
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    logger.error({ error: error.name, reason: error.message }, 'card update not opened');
    return redirect(withNotice(path, 'processor_unavailable'));
  }
}

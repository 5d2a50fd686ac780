// The routes by which a person cancels, resumes and pays otherwise: for a subscription and for Member.
import { z } from 'zod';
import { isProcessorTrouble } from '../../../clients/processor/processor.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import type { SubscriptionView } from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/subscriptions/change-request.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { page, redirect } from '../../http/response.ts';
import {
  defineRoute,
  type HttpResponse,
  type Route,
  type RouteContext,
  SESSION_FORM,
  SESSION_PAGE,
} from '../../http/route.ts';
import { withNotice, type Notice } from '../../html/notices.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { cancellationPage } from './cancellation.page.ts';

/** What is renewed, as its person sees it; `path` is its page. */
type Renewed = Pick<SubscriptionView, 'processorId' | 'status' | 'periodEnd' | 'graceEndsAt'> & {
  of: { subscriptionId: string } | { membershipId: string };
  path: string;
  name: string;
  /** The access that remains until the end. */
  kept: string;
};

export type RenewalCall = RouteContext & { currentUser: CurrentUser; params: { id?: string } };

type Renewal = {
  /** The word of the routes and the button. */
  what: 'subscription' | 'membership';
  path: string;
  params: z.ZodType<{ id?: string }>;
  load(call: RenewalCall): Promise<Renewed>;
  done: Record<RequestedChange, Notice>;
};

export function renewalRoutes({ what, path, params, load, done }: Renewal): Route[] {
  const changed = {
    ...SESSION_FORM,
    input: { params, body: { kind: 'form', shape: z.object({}) } },
    statuses: [303],
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

type Asked = { kind: RequestedChange; renewed: Renewed; done: Notice };

/**
 * Records the change request. The workflow applies it at the processor, and the page shows the
 * progress.
 */
async function askFor(
  { services }: RouteContext,
  { kind, renewed: { of, path }, done }: Asked,
): Promise<HttpResponse> {
  const request = { ...of, change: kind };
  const asked = await services.database.transaction((em) => requestChange(em, request));
  return redirect(withNotice(path, isRefusal(asked) ? 'unchanged' : done));
}

/** Another card is typed in at the processor's page. */
async function sendToCardUpdate(
  { services }: RouteContext,
  { processorId, status, path }: Renewed,
): Promise<HttpResponse> {
  if (processorId === null || status === 'ended') return redirect(withNotice(path, 'unchanged'));
  const { processor, config, logger } = services;
  const returnUrl = `${config.baseUrl}${path}?returned=card`;
  try {
    const asked = { subscriptionId: processorId, returnUrl, key: newUuid() };
    const { url } = await processor.openCardUpdate(asked);
    const notice = 'card_returned';
    return { ...redirect(url), flash: { notice, location: path, isAfterProcessor: true } };
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    logger.error({ error: error.name, reason: error.message }, 'card update not opened');
    return redirect(withNotice(path, 'processor_unavailable'));
  }
}

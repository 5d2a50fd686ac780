import { HttpError } from '../../http/errors.ts';
import { page } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import type { Services } from '../../services.ts';
import { designPage, storeDesignPage } from './design.page.ts';

const showDesign = defineRoute({
  ...SESSION_PAGE,
  path: '/console/design',
  summary: 'Show every part of the pages in every state, while developing',
  input: {},
  handler(context) {
    if (!isDevelopment(context.services)) throw new HttpError('not_found');
    return page(context, designPage());
  },
});

const showStoreDesign = defineRoute({
  ...SESSION_PAGE,
  path: '/console/design/store',
  summary: 'Show every part of the store, while developing',
  input: {},
  handler(context) {
    if (!isDevelopment(context.services)) throw new HttpError('not_found');
    return page(context, storeDesignPage());
  },
});

/** Somebody works on Gatehouse itself: on their own machine, with the simulator. */
function isDevelopment({ config, processor }: Services): boolean {
  const { hostname } = new URL(config.baseUrl);
  return processor.kind === 'simulator' && /^(localhost|127\.0\.0\.1)$/.test(hostname);
}

export const routes = [showDesign, showStoreDesign];

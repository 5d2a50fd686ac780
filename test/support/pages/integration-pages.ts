import { openDetails } from './page-acts.ts';
import type { ShownPage } from './shown-page.ts';

/** The pages of a product for whoever integrates it. */
export const INTEGRATION_PAGES: ShownPage[] = [
  {
    name: 'diagnostics',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/diagnostics`,
  },
  {
    name: 'integrate',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/integrate`,
    act: openDetails,
  },
  {
    name: 'integrate before verification',
    as: 'person',
    path: ({ unverified }) => `/console/products/${unverified.slug}/integrate`,
  },
  {
    name: 'API keys before verification',
    as: 'person',
    path: ({ unverified }) => `/console/products/${unverified.slug}/keys`,
  },
  {
    name: 'requests',
    as: 'builder',
    path: ({ product }) => `/console/products/${product.slug}/requests`,
  },
];

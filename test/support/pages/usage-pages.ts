import type { PageScene } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';

const now = new Date();
const LAST_MONTH = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
  .toISOString()
  .slice(0, 7);

const usageOf = ({ product }: PageScene, month: string) =>
  `/console/products/${product.slug}/usage?month=${month}`;

export const USAGE_PAGES: ShownPage[] = [
  { name: 'usage', as: 'builder', path: (scene) => usageOf(scene, LAST_MONTH) },
  { name: 'no usage', as: 'builder', path: (scene) => usageOf(scene, '2026-01') },
];

import type { Page } from 'playwright-core';
import type { PageScene, Role } from './scene/page-scene.ts';

export type ShownPage = {
  name: string;
  as: Role;
  path: string | ((scene: PageScene) => string);
  /** Is 200 without one. */
  status?: number;
  /** What is done on the page before it is looked at. */
  act?: (page: Page) => Promise<void>;
};

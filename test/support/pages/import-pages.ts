// The pages of imports: each state that somebody looks at for a while.
import { applyNothing } from './page-acts.ts';
import type { PageScene } from './scene/page-scene.ts';
import type { ShownPage } from './shown-page.ts';

const importsOf = ({ product }: PageScene) => `/console/products/${product.slug}/imports`;
const importOf = (name: keyof PageScene['imports']) => (scene: PageScene) =>
  `${importsOf(scene)}/${scene.imports[name]}`;

export const IMPORT_PAGES: ShownPage[] = [
  { name: 'imports', as: 'builder', path: importsOf },
  { name: 'import that waits', as: 'builder', path: importOf('waiting') },
  { name: 'import refused', as: 'builder', path: importOf('refused') },
  { name: 'import of a page', as: 'builder', path: importOf('found') },
  { name: 'import of a repository', as: 'builder', path: importOf('monorepo') },
  {
    name: 'import with nothing ticked',
    as: 'builder',
    path: importOf('found'),
    act: applyNothing,
  },
  { name: 'import applied', as: 'builder', path: importOf('applied') },
];

// `npm run build`: what a start would otherwise make anew, the workflow bundle and Node's compiled code.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { loadWorkflowBundle } from '../workflows/bundle.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

enableCompileCache(COMPILE_CACHE.NODE_COMPILE_CACHE);
const { code } = await loadWorkflowBundle();
console.log(`Workflow bundle: ${Math.round(code.length / 1024)} KiB in dist`);
// What api and worker load; their main files would start them.
for (const loaded of [
  '../api/app.ts',
  '../api/health/temporal-health.ts',
  '../activities/index.ts',
]) {
  await import(loaded);
}
flushCompileCache();

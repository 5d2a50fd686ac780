import test from 'ava';
import { loadWorkflowBundle } from '../../worker/bundle.ts';

// The bundler refuses most built-ins of Node, and swallows a storage library without a word.
const FOREIGN =
  /^node:|@mikro-orm|node_modules\/(koa|pg|zod|undici|pino)\/|\.(entity|repository|query|schema)\.ts|^\.\/(api|activities|worker|clients|dev)\//;

test('the bundle carries no storage, no HTTP and no shapes of the wire into the sandbox', async (t) => {
  const { code } = await loadWorkflowBundle();
  const modules = [...code.matchAll(/^\/\*{3}\/ "([^"]+)"$/gm)].map(([, name]) => name!);
  t.true(modules.some((name) => name.endsWith('domain/webhooks/deliveries/retry-schedule.ts')));
  t.true(modules.some((name) => name.endsWith('workflows/webhooks/webhook-delivery.ts')));
  t.deepEqual(
    modules.filter((name) => FOREIGN.test(name)),
    [],
  );
});

test('the bundle maps stacks to the sources without carrying them', async (t) => {
  const { code } = await loadWorkflowBundle();
  const [, encoded] = /sourceMappingURL=data:[^,]*;base64,(\S+)\s*$/.exec(code) ?? [];
  const map = JSON.parse(Buffer.from(encoded!, 'base64').toString());
  t.true(
    map.sources.some((name: string) => name.endsWith('workflows/webhooks/webhook-delivery.ts')),
  );
  t.true(map.mappings.length > 0);
  t.is(map.sourcesContent, undefined);
});

// `npm run test:contract [-- flags of Schemathesis]`: the OpenAPI document against the running API.
import { fileURLToPath } from 'node:url';
import { runWithEngines } from '../support/engines/with-engines.ts';

const CHECK = fileURLToPath(new URL('check.ts', import.meta.url));

const { hasEndedWell } = await runWithEngines([CHECK, ...process.argv.slice(2)]);
process.exit(hasEndedWell ? 0 : 1);

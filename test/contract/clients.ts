// `npm run test:clients`: clients that generators make of the OpenAPI document, against the running API.
import { fileURLToPath } from 'node:url';
import { runWithEngines } from '../support/engines/with-engines.ts';

const CHECK = fileURLToPath(new URL('clients/check.ts', import.meta.url));

const { hasEndedWell } = await runWithEngines([CHECK]);
process.exit(hasEndedWell ? 0 : 1);

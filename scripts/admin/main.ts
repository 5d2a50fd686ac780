// `npm run admin`: commands for the platform's own machine, straight on the database.
import { runAdmin } from './run.ts';

const { argv, env: environment } = process;
process.exitCode = await runAdmin(argv.slice(2), { environment, terminal: console });

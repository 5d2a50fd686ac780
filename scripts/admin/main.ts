// `npm run admin`: commands for the platform's own machine, straight on the database.
import { runAdmin } from './run.ts';

process.exitCode = await runAdmin(process.argv.slice(2), { terminal: console });

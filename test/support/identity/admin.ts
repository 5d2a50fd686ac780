import { runAdmin as runAdminCommand } from '../../../scripts/admin/run.ts';
import { askCommand, runCommand } from '../engines/command.ts';

/** What `npm run admin -- ...` says, with these settings and no others of ours. */
export const runAdmin = (args: string[], settings: Record<string, string> = {}) =>
  askCommand(runAdminCommand, { args, settings });

/** The same by a process of its own. */
export const startAdmin = (args: string[], settings: Record<string, string> = {}) =>
  runCommand('scripts/admin/main.ts', { args, settings });

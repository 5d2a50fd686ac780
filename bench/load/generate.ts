import type { Child } from '../../local/process/children.ts';
import { ask, hear, startProcess, type Starting } from '../process.ts';
import type { Job, Load, Report } from './job.ts';

export type Generator = { run(job: Job): Promise<Load> };

export async function startGenerator(starting: Starting): Promise<Generator> {
  const child = startProcess(starting, { name: 'generator', main: 'bench/load/generator.ts' });
  await hear(child, starting);
  return { run: (job) => run(child, { starting, job }) };
}

async function run(child: Child, given: { starting: Starting; job: Job }): Promise<Load> {
  const { starting, job } = given;
  const report = await ask<Report>(child, { starting, question: job });
  if ('fault' in report) throw new Error(report.fault);
  return report.load;
}

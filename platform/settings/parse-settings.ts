// Settings in, values or one error out.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';

export type Environment = Record<string, string | undefined>;

export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/** Throws one ConfigurationError that names every problem. */
export function parse<Shape extends z.ZodObject>(
  shape: Shape,
  environment: Environment,
  furtherProblems: (given: Environment) => string[] = () => [],
): z.infer<Shape> {
  const { given, problems } = collect(Object.keys(shape.shape), environment);
  const result = shape.safeParse(given);
  for (const issue of result.error?.issues ?? []) {
    const name = String(issue.path[0]);
    problems.push(`${name}: ${given[name] === undefined ? 'required' : issue.message}`);
  }
  problems.push(...furtherProblems(given));
  if (problems.length === 0 && result.success) return result.data;
  throw new ConfigurationError(
    `The configuration is not usable:\n${problems.map((line) => `  - ${line}`).join('\n')}\nEach setting is an environment variable, or a file named by the same variable with _FILE.`,
  );
}

function collect(names: string[], environment: Environment) {
  const given: Environment = {};
  const problems: string[] = [];
  for (const name of names) {
    const file = environment[`${name}_FILE`];
    const direct = environment[name];
    if (direct) given[name] = direct;
    else if (file) {
      try {
        given[name] = readFileSync(file, 'utf8').trim();
      } catch (error) {
        problems.push(`${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`);
      }
    }
  }
  return { given, problems };
}

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Environment = Record<string, string | undefined>;

export type Service = {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  restart?: string;
  networks?: string[];
  cap_drop?: string[];
  security_opt?: string[];
};

export type ComposeFile = {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
};

export const root = (path: string) => new URL(`../../../${path}`, import.meta.url);
export const readText = (path: string) => readFileSync(root(path), 'utf8');

export function readComposeFile(): ComposeFile {
  return parse(readText('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as ComposeFile;
}

/** Compose's ${NAME}, ${NAME:-else}, ${NAME:+instead} and ${NAME:?problem}, nested ones included. */
export function interpolate(text: string, environment: Environment): string {
  const innermost = /\$\{(\w+)(?::([-+?])([^${}]*))?\}/;
  for (let match = innermost.exec(text); match; match = innermost.exec(text)) {
    const [whole, name = '', operator, operand = ''] = match;
    const value = environment[name] ?? '';
    if (operator === '?' && !value) throw new Error(`${name}: ${operand}`);
    const isOperandUsed = operator === '+' ? value !== '' : operator === '-' && value === '';
    const chosen = operator === '+' && !isOperandUsed ? '' : isOperandUsed ? operand : value;
    text = text.replace(whole, () => chosen);
  }
  return text;
}

/** What a service's process finds in its environment. */
export function environmentOf(service: Service, environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      interpolate(value, environment),
    ]),
  );
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { alignColumns } from '../../scripts/columns.ts';
import type { Result } from './figure.ts';

type Versions = Record<string, string>;

const HEADINGS = ['id', 'what', 'value', 'range', 'must', 'stretch', 'ok'];

export function formatTable(results: readonly Result[]): string {
  const rows = results.map(({ id, what, value, range, must, stretch, ok }) => [
    id,
    what,
    formatNumber(value),
    range.map(formatNumber).join(' to '),
    must === null ? '-' : formatNumber(must),
    stretch === null ? '-' : formatNumber(stretch),
    describe({ must, ok }),
  ]);
  return alignColumns([HEADINGS, ...rows]).join('\n');
}

/** Replaces what an earlier run wrote: a figure that was not run is absent. */
export function writeResults(
  file: string,
  { versions, figures }: { versions: Versions; figures: readonly Result[] },
): void {
  const draft = `${file}.draft`;
  writeFileSync(
    draft,
    `${JSON.stringify({ machine: describeMachine(), versions, figures }, null, 2)}\n`,
  );
  renameSync(draft, file);
}

/** Reads the versions of what is measured; PostgreSQL's is added by whoever knows the server. */
export function readVersions(names: readonly string[]): Versions {
  const versions = names.map((name) => [name, readVersion(name)]);
  return { node: process.versions.node, ...Object.fromEntries(versions) };
}

function readVersion(name: string): string {
  const manifest = findPackageJSON(name, import.meta.url)!;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function describeMachine() {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    system: `${type()} ${release()} ${arch()}`,
  };
}

function describe({ must, ok }: Pick<Result, 'must' | 'ok'>): string {
  if (must === null) return '-';
  return ok ? 'yes' : 'NO';
}

export function formatNumber(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

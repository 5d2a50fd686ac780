// What docs/monitoring asks Prometheus for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './imports.ts';

export const MONITORING = join(ROOT, 'docs', 'monitoring');

type Rules = {
  groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[];
};
type Dashboard = { panels: { targets?: { expr: string }[] }[] };

const read = (file: string) => readFileSync(join(MONITORING, file), 'utf8');

export function readRules() {
  return (parse(read('alerts.yml')) as Rules).groups.flatMap(({ rules }) => rules);
}

export function readPanelExpressions(): string[] {
  const { panels } = JSON.parse(read('dashboard.json')) as Dashboard;
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

/** The metrics in an expression, with the labels that stand in its selectors and groups. */
export function readNames(expression: string): { metrics: string[]; labels: string[] } {
  const metrics = [...expression.matchAll(/\b(?:gatehouse|temporal)_\w+/g)].map(([name]) => name);
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(/,\s*/),
  );
  const selected = [...expression.matchAll(/(\w+)=~?"/g)].map(([, name]) => name!);
  return { metrics: [...new Set(metrics)], labels: [...new Set([...groups, ...selected])] };
}

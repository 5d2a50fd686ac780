// Every small change of a source that a test should notice.
import { parseSync } from 'oxc-parser';

export type Mutant = {
  file: string;
  /** Among those of its file. */
  id: number;
  line: number;
  what: string;
  start: number;
  end: number;
  replacement: string;
};

type Node = { type: string; start: number; end: number; [key: string]: unknown };
type Change = [what: string, start: number, end: number, replacement: string];

const OPPOSITE: Record<string, string[]> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '&&': ['||'],
  '||': ['&&'],
};
const OTHER_NAME = new Map(
  [
    ['min', 'max'],
    ['floor', 'ceil'],
    ['some', 'every'],
    ['find', 'findLast'],
  ].flatMap(([one, other]) => [
    [one!, other!],
    [other!, one!],
  ]),
);
const CONDITIONAL = ['IfStatement', 'ConditionalExpression', 'WhileStatement', 'DoWhileStatement'];
/** Their text is nothing that runs. */
const NOT_RUN = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|^ImportDeclaration$/;

export function mutate(file: string, source: string): Mutant[] {
  const { program, errors } = parse(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed`);
  const found: Mutant[] = [];
  visit(program as unknown as Node, (node, parent) => {
    for (const [what, start, end, replacement] of changesOf(node, parent, source)) {
      const line = source.slice(0, start).split('\n').length;
      const mutant = { file, id: found.length, line, what, start, end, replacement };
      // `a ?? b || c` is no change, for it says nothing.
      if (parse(file, apply(source, mutant)).errors.length === 0) found.push(mutant);
    }
  });
  return found;
}

const parse = (file: string, source: string) => parseSync(file, source, { lang: 'ts' });

export function apply(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

function visit(
  node: Node,
  see: (node: Node, parent: Node | null) => void,
  parent: Node | null = null,
) {
  if (NOT_RUN.test(node.type)) return;
  see(node, parent);
  for (const [key, value] of Object.entries(node)) {
    if (key === 'typeAnnotation' || key === 'returnType' || key === 'typeArguments') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child === 'object' && 'type' in child) visit(child as Node, see, node);
    }
  }
}

function changesOf(node: Node, parent: Node | null, source: string): Change[] {
  const text = (of: Node) => source.slice(of.start, of.end);
  const short = (of: Node) => text(of).replaceAll(/\s+/g, ' ').slice(0, 60);
  const { start, end } = node;
  const changes: Change[] = [];
  if (node.type === 'ExpressionStatement' && !('directive' in node && node['directive'])) {
    changes.push([`drop: ${short(node)}`, start, end, ';']);
  }
  if (node.type === 'BreakStatement') changes.push(['drop: break', start, end, ';']);
  if (node.type === 'IfStatement') changes.push([`never: ${short(node)}`, start, end, ';']);
  if (CONDITIONAL.includes(node.type)) {
    const test = node['test'] as Node;
    // A loop that never ends is noticed by nobody but a clock.
    changes.push([`negate: ${short(test)}`, test.start, test.end, `!(${text(test)})`]);
  }
  if (node.type === 'LogicalExpression' || node.type === 'BinaryExpression') {
    const [left, right] = [node['left'] as Node, node['right'] as Node];
    const operator = node['operator'] as string;
    for (const other of OPPOSITE[operator] ?? []) {
      const changed = `${text(left)} ${other} ${text(right)}`;
      changes.push([`${short(node)} becomes ${other}`, start, end, changed]);
    }
    if (operator === '&&' || operator === '||' || operator === '??') {
      changes.push([`only left: ${short(node)}`, start, end, text(left)]);
      changes.push([`only right: ${short(node)}`, start, end, text(right)]);
    }
  }
  if (node.type === 'UnaryExpression' && node['operator'] === '!') {
    changes.push([`without !: ${short(node)}`, start, end, text(node['argument'] as Node)]);
  }
  if (node.type === 'Literal' && parent?.type !== 'Property')
    changes.push(...literal(node, source));
  if (node.type === 'Property') changes.push(...property(node, parent, source));
  if (node.type === 'MemberExpression') changes.push(...member(node));
  if (node.type === 'ArrayExpression' || node.type === 'ObjectExpression') {
    changes.push(...items(node, source));
  }
  if (node.type === 'TemplateLiteral' && text(node) !== '``') {
    changes.push([`empty: ${short(node)}`, start, end, "''"]);
  }
  if (node.type === 'CallExpression') changes.push(...call(node, source));
  if (node.type === 'ReturnStatement' && node['argument']) {
    changes.push([`without value: ${short(node)}`, start, end, 'return undefined as never;']);
  }
  return changes;
}

function literal(node: Node, source: string): Change[] {
  const { start, end } = node;
  const { value } = node;
  const raw = source.slice(start, end);
  if (typeof value === 'boolean') return [[`${raw} becomes ${!value}`, start, end, String(!value)]];
  if (typeof value === 'number') return [[`${raw} becomes more`, start, end, `(${raw} + 1)`]];
  if (typeof value !== 'string') return [];
  const [, amount, unit] = /^(\d+) (\w+)$/.exec(value) ?? [];
  const other = amount === undefined ? 'mutant' : `${Number(amount) * 2} ${unit}`;
  return [[`${raw} becomes '${other}'`, start, end, `'${other}'`]];
}

/** A value of its own, and whether it is there at all. */
function property(node: Node, parent: Node | null, source: string): Change[] {
  if (parent?.type !== 'ObjectExpression') return [];
  const value = node['value'] as Node;
  const changes = value.type === 'Literal' ? literal(value, source) : [];
  const whole = source.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 60);
  const behind = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
  return [...changes, [`without: ${whole}`, node.start, node.end + behind, '']];
}

/** `min` for `max`, and the like. */
function member(node: Node): Change[] {
  const property = node['property'] as Node;
  const other = node['computed'] ? undefined : OTHER_NAME.get(String(property['name']));
  if (!other) return [];
  return [[`${property['name']} becomes ${other}`, property.start, property.end, other]];
}

/** A list without one of its items; an object without what it takes from another. */
function items(node: Node, source: string): Change[] {
  const listed = (node['elements'] ?? node['properties']) as (Node | null)[];
  return listed.flatMap((item): Change[] => {
    if (!item || (node.type === 'ObjectExpression' && item.type !== 'SpreadElement')) return [];
    const behind = /^\s*,/.exec(source.slice(item.end))?.[0].length ?? 0;
    const whole = source.slice(item.start, item.end).replaceAll(/\s+/g, ' ').slice(0, 60);
    return [[`without item: ${whole}`, item.start, item.end + behind, '']];
  });
}

/** Without its last argument. */
function call(node: Node, source: string): Change[] {
  const given = node['arguments'] as Node[];
  const [last, before] = [given.at(-1), given.at(-2)];
  if (!last || last.type === 'ArrowFunctionExpression') return [];
  const from = before ? before.end : last.start;
  const what = source.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 60);
  return [[`without the last argument: ${what}`, from, last.end, '']];
}

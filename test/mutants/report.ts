// The figures of a run, file by file.
import type { Mutant } from './mutate.ts';

type Figures = { caught: number; survived: number; equivalent: number };

export const describe = ({ file, line, what }: Mutant) => `${file}:${line} ${what}`;

export function createReport() {
  const files = new Map<string, Figures>();
  const survivors: Mutant[] = [];
  const figuresOf = (file: string) => {
    const figures = files.get(file) ?? { caught: 0, survived: 0, equivalent: 0 };
    files.set(file, figures);
    return figures;
  };
  const sum = (kind: keyof Figures) =>
    [...files.values()].reduce((total, figures) => total + figures[kind], 0);
  return {
    note(mutant: Mutant, kind: keyof Figures): void {
      figuresOf(mutant.file)[kind] += 1;
      if (kind === 'survived') survivors.push(mutant);
    },
    share: () => sum('caught') / Math.max(1, sum('caught') + sum('survived')),
    print(): void {
      for (const [file, { caught, survived, equivalent }] of files) {
        console.log(`${file}: ${caught} of ${caught + survived}, ${equivalent} equivalent`);
      }
      for (const survivor of survivors) console.log(`survived: ${describe(survivor)}`);
      const total = sum('caught') + sum('survived');
      const percent = (100 * this.share()).toFixed(1);
      console.log(
        `${sum('caught')} of ${total} caught (${percent} %), ${sum('equivalent')} equivalent`,
      );
    },
  };
}

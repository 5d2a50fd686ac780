// The prototypes themselves are watched: whoever normalises or matches comes by here.
/* eslint-disable no-extend-native */
const MARK = '\u0315';
/** How zod counts characters: one pass, to know the length. */
const MEASURING = '[\\uD800-\\uDBFF]';

/** Putting these in order takes the square of their number; they are sent as raw UTF-8. */
export function combiningMarks(bytes: number): string {
  const each = Math.floor(bytes / 4);
  return `a${MARK.repeat(each)}${'\u0316'.repeat(each)}`;
}

/** The lengths of all texts with such marks that are normalised or matched while something is done. */
export async function watchText(doing: () => unknown): Promise<number[]> {
  const lengths: number[] = [];
  const { normalize } = String.prototype;
  const { exec } = RegExp.prototype;
  const note = (text: string) => {
    if (text.includes(MARK)) lengths.push(text.length);
  };
  String.prototype.normalize = function watched(this: string, form?: string) {
    note(String(this));
    return normalize.call(this, form);
  };
  // What tests, replaces, splits and searches by a pattern goes through this one.
  RegExp.prototype.exec = function watched(text: string) {
    if (this.source !== MEASURING) note(String(text));
    return exec.call(this, text);
  };
  try {
    await doing();
  } finally {
    String.prototype.normalize = normalize;
    RegExp.prototype.exec = exec;
  }
  return lengths;
}

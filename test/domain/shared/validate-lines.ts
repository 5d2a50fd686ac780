import test from 'ava';
import { validateLines } from '../../../domain/shared/text.ts';

for (const [what, given, value] of [
  ['paragraphs stay apart', 'One.\n\nTwo.', 'One.\n\nTwo.'],
  ['line ends of every system are one', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
  ['spaces are folded within a line', '  a \t b  \n c ', 'a b\nc'],
  ['of several empty lines one stays, and none at the ends', '\n\na\n \n\n\nb\n\n', 'a\n\nb'],
] as const) {
  test(what, (t) => {
    t.deepEqual(validateLines(given, 20), { value, problem: null });
  });
}

test('nothing, too much, and what nobody can read is refused', (t) => {
  t.is(validateLines(' \n\r\n ', 20).problem, 'required');
  t.is(validateLines(`${'a'.repeat(10)}\n${'b'.repeat(10)}`, 20).problem, 'too_long');
  t.is(validateLines('a\nb\u0007', 20).problem, 'unreadable');
});
